//! Which component schemas become types of the client's own instead of progenitor's.
//!
//! Each falls under a rule about its shape; only money, time and the link go by name, because no shape tells them.
//! It refuses a nullable component of a request that is not named `Nullable…`: the name gives the inner type's.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use payout_openapi::{Document, Location, Refusal};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use super::refusals;
use crate::codegen::format::docs;

const COMPONENTS: &str = "/components/schemas";
const BY_HAND: [(&str, &str); 3] = [
    ("DownloadUrl", "crate::DownloadUrl"),
    ("Money", "crate::Money"),
    ("Timestamp", "crate::Timestamp"),
];

/// What the client makes of a component schema, instead of what progenitor would.
enum Shape {
    /// A type written by hand, at this path.
    ByHand(&'static str),
    /// A string that goes into a path: neither empty nor a dot segment.
    Id,
    /// A set of strings that may grow: the known ones, and `Unknown`.
    OpenSet(Vec<String>),
    /// A whole number of a request, with both its bounds.
    BoundedInteger(i64, i64),
    /// A nullable value of a request: kept, cleared or set; with the name of the inner type.
    Change(String),
}

/// The components with a type of the client's own, and which components a client needs at all.
pub(super) struct OwnTypes {
    shapes: BTreeMap<String, Shape>,
    pub(super) in_requests: BTreeSet<String>,
    pub(super) in_responses: BTreeSet<String>,
}

impl OwnTypes {
    /// Judges every component that a request or a success response leads to.
    pub(super) fn collect(document: &Document) -> Result<Self, Refusal> {
        let (in_requests, in_responses) = reachable(document);
        let in_paths = path_components(document);
        let mut shapes = BTreeMap::new();
        for name in in_requests.union(&in_responses) {
            let pointer = payout_openapi::pointer::join(COMPONENTS, name);
            let Some(schema) = document.value().pointer(&pointer) else {
                continue;
            };
            if in_responses.contains(name) {
                refusals::check_inline_enums(document, &pointer, schema)?;
            }
            let seen = Seen {
                in_path: in_paths.contains(name),
                in_request: in_requests.contains(name),
                in_response: in_responses.contains(name),
            };
            if let Some(shape) = shape(name, schema, &seen) {
                shapes.insert(name.clone(), shape);
            } else if seen.in_request && schema["nullable"] == true {
                return Err(refusals::refusal(
                    document,
                    &pointer,
                    "a nullable component of a request needs three states, and a name for its value",
                    "name it `Nullable` and what it holds, as in `NullableDomain`",
                ));
            }
        }
        Ok(Self {
            shapes,
            in_requests,
            in_responses,
        })
    }

    /// Component name and the path of the type that stands for it.
    pub(super) fn replacements(&self) -> impl Iterator<Item = (&str, String)> {
        self.shapes.iter().map(|(name, shape)| {
            let path = match shape {
                Shape::ByHand(path) => (*path).to_owned(),
                Shape::Change(inner) => format!("crate::Change<crate::types::{inner}>"),
                Shape::Id | Shape::OpenSet(_) | Shape::BoundedInteger(..) => {
                    format!("crate::types::{name}")
                }
            };
            (name.as_str(), path)
        })
    }

    /// Nullable component and the name of the type of its value.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.shapes.iter().filter_map(|(name, shape)| match shape {
            Shape::Change(inner) => Some((name.as_str(), inner.as_str())),
            _ => None,
        })
    }

    /// The definitions, as calls of the client's macros, for its module `types`.
    pub(super) fn definitions(&self, document: &Document) -> Vec<TokenStream> {
        let define = |(name, shape): (&String, &Shape)| {
            let ident = format_ident!("{name}");
            let schema = &document.value()["components"]["schemas"][name];
            let text = docs(schema["description"].as_str().unwrap_or_default());
            match shape {
                Shape::Id => Some(quote! { crate::ids::id! { #text #ident } }),
                Shape::OpenSet(values) => {
                    let variants = values
                        .iter()
                        .map(|value| format_ident!("{}", value.to_upper_camel_case()));
                    Some(
                        quote! { crate::open_sets::open_set! { #text #ident { #(#variants = #values,)* } } },
                    )
                }
                Shape::BoundedInteger(least, most) => {
                    let (least, most) = (
                        Literal::i64_unsuffixed(*least),
                        Literal::i64_unsuffixed(*most),
                    );
                    Some(
                        quote! { crate::bounded::bounded_integer! { #text #ident: #least..=#most } },
                    )
                }
                Shape::ByHand(_) | Shape::Change(_) => None,
            }
        };
        self.shapes.iter().filter_map(define).collect()
    }
}

/// Where a component was met.
struct Seen {
    in_path: bool,
    in_request: bool,
    in_response: bool,
}

fn shape(name: &str, schema: &Value, seen: &Seen) -> Option<Shape> {
    if let Some((_, path)) = BY_HAND.iter().find(|(known, _)| *known == name) {
        return Some(Shape::ByHand(path));
    }
    match schema["type"].as_str()? {
        "string" if seen.in_request && schema["nullable"] == true => name
            .strip_prefix("Nullable")
            .map(|inner| Shape::Change(inner.to_owned())),
        "string" => {
            let closed = schema.get("enum").filter(|_| seen.in_response);
            match schema
                .get("x-known-values")
                .or(closed)
                .and_then(Value::as_array)
            {
                Some(values) => Some(Shape::OpenSet(texts_of(values))),
                None if schema.get("enum").is_some() => None,
                None => (seen.in_path || name.ends_with("Id")).then_some(Shape::Id),
            }
        }
        "integer" if seen.in_request && !seen.in_response => Some(Shape::BoundedInteger(
            schema["minimum"].as_i64()?,
            schema["maximum"].as_i64()?,
        )),
        _ => None,
    }
}

fn texts_of(values: &[Value]) -> Vec<String> {
    values
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn path_components(document: &Document) -> BTreeSet<String> {
    let parameters = document
        .operations()
        .iter()
        .flat_map(|operation| &operation.parameters);
    parameters
        .filter(|parameter| parameter.location == Location::Path)
        .filter_map(|parameter| {
            refusals::component_of(document, parameter.schema_pointer.as_deref()?)
        })
        .collect()
}

/// The components below requests (header parameters excepted: the client sets those itself), and below
/// success responses (errors excepted: `crate::Error` is written by hand).
fn reachable(document: &Document) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    for operation in document.operations() {
        let parameters = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location != Location::Header);
        let bodies = operation.body.iter().flat_map(|body| &body.content);
        let sent = parameters
            .filter_map(|parameter| parameter.schema_pointer.as_deref())
            .chain(bodies.filter_map(|body| body.schema_pointer.as_deref()));
        for pointer in sent {
            visit(document, pointer, &mut requests);
        }
        let received = operation
            .responses
            .iter()
            .filter(|response| response.status.is_success());
        for pointer in received
            .flat_map(|response| &response.content)
            .filter_map(|body| body.schema_pointer.as_deref())
        {
            visit(document, pointer, &mut responses);
        }
    }
    (requests, responses)
}

fn visit(document: &Document, pointer: &str, found: &mut BTreeSet<String>) {
    let Some(name) = refusals::component_of(document, pointer) else {
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
                members
                    .iter()
                    .filter(|(name, _)| *name != "example")
                    .map(|(_, member)| member),
            ),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
