//! OpenAPI 3.1 in the form of 3.0, right after the text is read, so that few other modules know
//! 3.1. Members keep their pointers, so they keep their places. Keywords that 3.0 lacks stay: the
//! validator reads them, and the generator rejects them. Other ways to refer are errors.

mod schema;

use serde_json::{Map, Value, json};

use self::schema::of_boolean;
use crate::{
    error::{Diagnostic, DocumentError},
    pointer::join,
    source::Source,
    structure::{Kind, Node, Shape},
};

/// The dialect of 3.1 without `jsonSchemaDialect`.
const BASE_DIALECT: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

/// Rewrites the document; returns what is left out.
pub(crate) fn to_3_0(source: &mut Source) -> Result<Vec<Diagnostic>, DocumentError> {
    let mut value = source.value().clone();
    let mut rewrite = Rewrite { source, notes: Vec::new() };
    let mut pending = vec![(Kind::Document, String::new())];
    let mut checks = Vec::new();
    while let Some((kind, pointer)) = pending.pop() {
        let Some(object) = value.pointer_mut(&pointer) else { continue };
        checks.push(rewrite.object(kind, &pointer, object));
        let node = Node { kind, pointer, value: object };
        let inner = node.children().into_iter().rev().map(|child| (child.kind, child.pointer));
        pending.extend(inner);
    }
    DocumentError::all(checks)?;
    let notes = rewrite.notes;
    source.replace_value(value);
    Ok(notes)
}

struct Rewrite<'source> {
    source: &'source mut Source,
    notes: Vec<Diagnostic>,
}

impl Rewrite<'_> {
    /// Rewrites one object, without those inside of it.
    fn object(&mut self, kind: Kind, at: &str, value: &mut Value) -> Result<(), DocumentError> {
        if kind == Kind::Schema {
            self.schema(at, value)?;
        }
        let Some(members) = value.as_object_mut() else {
            return Ok(());
        };
        match kind {
            Kind::Document => self.document(members)?,
            Kind::Components => self.components(at, members),
            Kind::Operation => {
                members.entry("responses").or_insert_with(|| json!({}));
            }
            _ => {}
        }
        // Where 3.0 has booleans itself, they stay.
        let schemas = kind.members().iter().filter(|(name, shape, kind)| {
            (*shape, *kind) == (Shape::One, Kind::Schema) && *name != "additionalProperties"
        });
        for (name, ..) in schemas {
            if let Some(schema @ Value::Bool(_)) = members.get_mut(*name) {
                *schema = of_boolean(schema);
            }
        }
        Ok(())
    }

    fn document(&mut self, members: &mut Map<String, Value>) -> Result<(), DocumentError> {
        if let Some(dialect) = members.shift_remove("jsonSchemaDialect")
            && dialect != BASE_DIALECT
        {
            let problem = format!("the JSON Schema dialect {dialect} is not supported");
            return Err(self
                .source
                .error("/jsonSchemaDialect", problem)
                .with_help("leave it out: the dialect of OpenAPI 3.1 is supported"));
        }
        members.insert("openapi".to_owned(), json!("3.0.3"));
        if let Some(webhooks) = members.shift_remove("webhooks") {
            // `contract breaking` compares them; in 3.0 they are an extension.
            members.insert("x-webhooks".to_owned(), webhooks);
            self.source.note_move("/x-webhooks".to_owned(), "/webhooks");
            self.note("/webhooks", "webhooks are not part of OpenAPI 3.0 and are left out");
        }
        members.entry("paths").or_insert_with(|| json!({}));
        if let Some(info) = members.get_mut("info").and_then(Value::as_object_mut) {
            info.shift_remove("summary");
            if let Some(license) = info.get_mut("license").and_then(Value::as_object_mut) {
                license.shift_remove("identifier");
            }
        }
        Ok(())
    }

    /// Leaves out security schemes that 3.0 lacks.
    fn components(&mut self, at: &str, members: &mut Map<String, Value>) {
        let schemes = members.get_mut("securitySchemes").and_then(Value::as_object_mut);
        let Some(schemes) = schemes else {
            return;
        };
        let at = join(at, "securitySchemes");
        schemes.retain(|name, scheme| {
            let is_unknown = scheme.get("type").and_then(Value::as_str) == Some("mutualTLS");
            if is_unknown {
                let problem = "`mutualTLS` is not part of OpenAPI 3.0 and is left out";
                self.note(&join(&at, name), problem);
            }
            !is_unknown
        });
    }

    fn note(&mut self, at: &str, problem: &str) {
        self.notes.push(Diagnostic {
            place: self.source.place(at),
            pointer: at.to_owned(),
            problem: problem.to_owned(),
            help: None,
        });
    }
}
