//! Spellings of null that have no effect: null is not valid where the document names it.

use openapi_document::{Node, pointer::join};
use serde_json::Value;

use super::{
    context::{Context, Findings},
    schemas::{COMPOSITIONS, schemas},
};

const NULLABLE_COMPONENT: &str =
    "refer to a component that may be null itself, such as `NullableName`";

pub(super) fn nullable_without_effect(context: &Context<'_>, found: &mut Findings) {
    for note in context.document.notes().iter().filter(|note| note.pointer.ends_with("/nullable")) {
        let fix = "write a list of types, such as `type: [string, \"null\"]`, or leave it out";
        found.add(&note.pointer, &note.problem, fix);
    }
    for node in schemas(context) {
        let in_place = in_place(context, node);
        let spelling = in_place.or_else(|| in_composition(context, node));
        if let Some((pointer, problem, fix)) = spelling {
            found.add(pointer, problem, fix);
        }
    }
}

/// Pointer, problem and fix of a spelling without effect.
type Spelling = (String, &'static str, &'static str);

/// Finds `nullable` in a schema that excludes null, or admits it anyway.
fn in_place(context: &Context<'_>, node: &Node<'_>) -> Option<Spelling> {
    let schema = node.value.as_object()?;
    if schema.get("nullable") != Some(&Value::Bool(true)) {
        return None;
    }
    let is_composed = COMPOSITIONS.iter().any(|name| schema.contains_key(*name));
    let values = schema.get("enum").and_then(Value::as_array);
    let (problem, fix) = if schema.contains_key("$ref") {
        ("`nullable` has no effect beside `$ref`", NULLABLE_COMPONENT)
    } else if !schema.contains_key("type") {
        let fix = if is_composed { NULLABLE_COMPONENT } else { "write the type beside it" };
        ("`nullable` has no effect without `type` beside it", fix)
    } else if values.is_some_and(|values| !values.contains(&Value::Null)) {
        let fix = "add null to the enum, or allow no null beside it";
        ("null is not valid here, because `enum` does not have it", fix)
    } else if !context.document.admits_null(node.value) {
        (
            "null is not valid here, because another part of the schema excludes it",
            NULLABLE_COMPONENT,
        )
    } else {
        return None;
    };
    Some((join(&node.pointer, "nullable"), problem, fix))
}

/// Finds null in a part of a composition whose other parts exclude it.
fn in_composition(context: &Context<'_>, node: &Node<'_>) -> Option<Spelling> {
    let document = context.document;
    let (list, _) = node.pointer.rsplit_once('/')?;
    let (whole, keyword) = list.rsplit_once('/').filter(|(_, word)| COMPOSITIONS.contains(word))?;
    let is_admitted = document.names_null(node.value) && document.admits_null(node.value);
    let is_reference = node.value.get("$ref").is_some() && !document.is_null_alone(node.value);
    if !is_admitted || document.admits_null(context.written(whole)?) {
        return None;
    }
    let siblings = context.written(list)?.as_array()?;
    let count = siblings.iter().filter(|part| document.admits_null(part)).count();
    if keyword == "oneOf" && count > 1 {
        let problem = "null is not valid here, because several schemas of `oneOf` admit it";
        return Some((node.pointer.clone(), problem, "let one of them admit null"));
    }
    // A nullable component may be one of several parts, and has its effect elsewhere.
    let problem = "null is not valid here, because another part of the schema excludes it";
    (!is_reference).then(|| (node.pointer.clone(), problem, NULLABLE_COMPONENT))
}
