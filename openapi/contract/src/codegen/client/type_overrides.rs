//! Which component schemas become types of the client instead of progenitor's: by their shape, and
//! by name where the configuration has one.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use openapi_document::{Document, Location, Operation, Parameter, pointer::join};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use super::docs::described;
use crate::codegen::{Config, names::type_name};

const COMPONENTS: &str = "/components/schemas";

/// The client's type for a component schema.
enum Shape {
    /// A hand-written type, at this path.
    ByHand(String),
    /// A string; whether it is an id.
    Text { is_id: bool },
    /// An open set of strings: the known ones, and `Unknown`.
    OpenSet(Vec<String>),
}

/// A nullable property of a request that may be absent: it is kept, cleared or set.
pub(super) struct Change {
    /// The pointer of the property.
    pub(super) property: String,
    /// The component that stands for it in the copy for progenitor.
    pub(super) component: String,
    /// The name for the schema of its value, where that one is written in place.
    pub(super) value: Option<String>,
    /// The path of the type of its value.
    path: String,
}

/// The components with a type of the client, and the components that a client needs.
pub(super) struct TypeOverrides {
    shapes: BTreeMap<String, Shape>,
    pub(super) changes: Vec<Change>,
    pub(super) in_requests: BTreeSet<String>,
    pub(super) in_responses: BTreeSet<String>,
}

impl TypeOverrides {
    /// Visits every component that a request or a success response leads to.
    pub(super) fn collect(
        document: &Document,
        config: &Config,
        by_hand: &BTreeMap<String, String>,
    ) -> Self {
        let (in_requests, in_responses) = reachable(document, config);
        let in_paths = path_components(document);
        let mut shapes = BTreeMap::new();
        for name in in_requests.union(&in_responses) {
            let Some(schema) = document.value().pointer(&join(COMPONENTS, name)) else {
                continue;
            };
            let uses = Uses {
                in_path: in_paths.contains(name),
                in_request: in_requests.contains(name),
                in_response: in_responses.contains(name),
            };
            shapes.extend(shape(name, schema, &uses, by_hand).map(|shape| (name.clone(), shape)));
        }
        let mut overrides = Self { shapes, changes: Vec::new(), in_requests, in_responses };
        overrides.changes = overrides.changes_in(document);
        overrides
    }

    fn changes_in(&self, document: &Document) -> Vec<Change> {
        let mut changes = Vec::new();
        for name in &self.in_requests {
            let at = join(COMPONENTS, name);
            let Some(schema) = document.value().pointer(&at) else {
                continue;
            };
            let required = schema["required"].as_array().into_iter().flatten();
            let required: Vec<&str> = required.filter_map(Value::as_str).collect();
            let properties = schema["properties"].as_object().into_iter().flatten();
            let changed = properties.filter(|(property, schema)| {
                schema["nullable"] == true && !required.contains(&property.as_str())
            });
            let at = join(&at, "properties");
            changes.extend(changed.filter_map(|(property, schema)| {
                let hint = format!("{name}-{property}").to_upper_camel_case();
                let (value, path) = self.value_of(document, schema, &hint)?;
                let component = format!("Nullable{hint}");
                Some(Change { property: join(&at, property), component, value, path })
            }));
        }
        changes
    }

    /// The name of a new component for the value of a nullable property, and the path of its type.
    /// A property of any type can be null without a `Change`.
    fn value_of(
        &self,
        document: &Document,
        schema: &Value,
        hint: &str,
    ) -> Option<(Option<String>, String)> {
        if let Some(reference) = schema.pointer("/allOf/0/$ref").and_then(Value::as_str) {
            let component = component_of(document, reference.trim_start_matches('#'))?;
            return Some((None, self.path(&component)));
        }
        let path = match (schema["type"].as_str()?, schema["format"].as_str()) {
            ("boolean", _) => "bool",
            ("integer", Some("int32")) => "i32",
            ("integer", _) => "i64",
            ("number", _) => "f64",
            ("string", _) => "::std::string::String",
            _ => return Some((Some(hint.to_owned()), format!("crate::types::{hint}"))),
        };
        Some((None, path.to_owned()))
    }

    pub(super) fn is_by_hand(&self, component: &str) -> bool {
        matches!(self.shapes.get(component), Some(Shape::ByHand(_)))
    }

    pub(super) fn is_id(&self, component: &str) -> bool {
        matches!(self.shapes.get(component), Some(Shape::Text { is_id: true }))
    }

    pub(super) fn path(&self, component: &str) -> String {
        match self.shapes.get(component) {
            Some(Shape::ByHand(path)) => path.clone(),
            _ => format!("crate::types::{component}"),
        }
    }

    /// Component name and the path of its type.
    pub(super) fn replacements(&self) -> impl Iterator<Item = (&str, String)> {
        let changes = self.changes.iter();
        let changes = changes
            .map(|change| (change.component.as_str(), format!("crate::Change<{}>", change.path)));
        self.shapes.keys().map(|name| (name.as_str(), self.path(name))).chain(changes)
    }

    /// The definitions, as calls of the client's macros, for its module `types`.
    pub(super) fn definitions(&self, document: &Document) -> Vec<TokenStream> {
        let define = |(name, shape): (&String, &Shape)| {
            let ident = format_ident!("{name}");
            let schema = &document.value()["components"]["schemas"][name];
            let text = described(schema["description"].as_str().unwrap_or_default());
            match shape {
                Shape::Text { .. } => Some(quote! { crate::texts::text! { #text #ident } }),
                Shape::OpenSet(values) => {
                    let variant = |value: &String| type_name(value);
                    let variants = values.iter().map(variant);
                    Some(quote! {
                        crate::open_sets::open_set! { #text #ident { #(#variants = #values,)* } }
                    })
                }
                Shape::ByHand(_) => None,
            }
        };
        self.shapes.iter().filter_map(define).collect()
    }
}

struct Uses {
    in_path: bool,
    in_request: bool,
    in_response: bool,
}

fn shape(
    name: &str,
    schema: &Value,
    uses: &Uses,
    by_hand: &BTreeMap<String, String>,
) -> Option<Shape> {
    if let Some(path) = by_hand.get(name) {
        return Some(Shape::ByHand(path.clone()));
    }
    match schema["type"].as_str()? {
        "string" => match schema.get("x-known-values").or(schema.get("enum")) {
            Some(values) => Some(Shape::OpenSet(texts_of(values.as_array()?))),
            None => Some(Shape::Text { is_id: uses.in_path || name.ends_with("Id") }),
        },
        // Every integer of the program converts; the rules have the bounds.
        "integer" if uses.in_request && !uses.in_response => Some(Shape::ByHand("i64".to_owned())),
        _ => None,
    }
}

fn texts_of(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn path_components(document: &Document) -> BTreeSet<String> {
    let parameters = document.operations().iter().flat_map(|operation| &operation.parameters);
    parameters
        .filter(|parameter| parameter.location == Location::Path)
        .filter_map(|parameter| component_of(document, parameter.schema_pointer.as_deref()?))
        .collect()
}

/// Whether callers of the client give it. Of the headers that is the idempotency key alone; the
/// client sets the others.
pub(super) fn is_argument(parameter: &Parameter) -> bool {
    parameter.location != Location::Header || parameter.is_idempotency_key()
}

/// The components of requests (without the header parameters that the client sets) and of success
/// responses and the details of errors (`crate::Error` is hand-written).
fn reachable(document: &Document, config: &Config) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    for operation in document.operations() {
        let parameters = operation.parameters.iter().filter(|parameter| is_argument(parameter));
        let bodies = operation.body.iter().flat_map(|body| &body.content);
        let sent = parameters
            .filter_map(|parameter| parameter.schema_pointer.as_deref())
            .chain(bodies.filter_map(|body| body.schema_pointer.as_deref()));
        for pointer in sent {
            visit(document, pointer, &mut requests);
        }
        let received = operation.responses.iter().filter(|response| response.status.is_success());
        for pointer in received
            .flat_map(|response| &response.content)
            .filter_map(|body| body.schema_pointer.as_deref())
        {
            visit(document, pointer, &mut responses);
        }
    }
    for (_, component) in details_by_code(document, config) {
        visit(document, &join(COMPONENTS, &component), &mut responses);
    }
    (requests, responses)
}

/// The component of the details of each code: `x-by-code` of an error's details.
pub(crate) fn details_by_code(document: &Document, config: &Config) -> Vec<(String, String)> {
    let schemas = document.value()["components"]["schemas"].as_object().into_iter().flatten();
    let by_code = |(_, schema): (&String, &'_ Value)| {
        schema["properties"][&config.error.details]["x-by-code"].as_object().cloned()
    };
    let entries = schemas.filter_map(by_code).flatten();
    let component = |(code, schema): (String, Value)| {
        let reference = schema["$ref"].as_str()?.trim_start_matches('#');
        Some((code, component_of(document, reference)?))
    };
    entries.filter_map(component).collect()
}

/// The component that a success response refers to: the type that `send` returns.
pub(super) fn success_component(document: &Document, operation: &Operation) -> Option<String> {
    let mut responses = operation.responses.iter();
    let success = responses.find(|response| response.status.is_success())?;
    component_of(document, success.content.first()?.schema_pointer.as_deref()?)
}

/// The name of the component that a schema pointer leads to.
pub(super) fn component_of(document: &Document, pointer: &str) -> Option<String> {
    let target = document.resolve(pointer).ok()?.pointer;
    let name = target.strip_prefix("/components/schemas/")?;
    (!name.contains('/')).then(|| name.to_owned())
}

fn visit(document: &Document, pointer: &str, found: &mut BTreeSet<String>) {
    let Some(name) = component_of(document, pointer) else {
        return;
    };
    if !found.insert(name) {
        return;
    }
    let Ok(target) = document.resolve(pointer) else {
        return;
    };
    let mut open = vec![target.value];
    while let Some(value) = open.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            visit(document, reference.trim_start_matches('#'), found);
        }
        match value {
            Value::Object(members) => open.extend(
                members.iter().filter(|(name, _)| *name != "example").map(|(_, member)| member),
            ),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
