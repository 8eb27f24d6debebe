//! The types of the generated modules: each has a name of its own, and none has a name that the
//! generated code uses itself.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Diagnostic, Document};
use proc_macro2::Ident;

use super::{
    client,
    model::Model,
    names::{is_reserved, type_name, value_name},
    read::{diagnostic, once_each},
    server,
};

/// Functions of the generated server beside those of operations.
const FUNCTIONS: [&str; 4] = ["call", "decode", "handlers", "new"];

/// A type that is made for something else than a schema, such as the query of an operation.
pub(super) struct OwnType {
    pub(super) name: Ident,
    /// Its purpose in messages.
    pub(super) what: &'static str,
    /// The id of the operation that it is made for first.
    pub(super) operation: String,
}

/// A type, and what it is made for.
struct Named {
    name: Ident,
    what: String,
    pointer: String,
    is_schema: bool,
}

/// Reports each name that a generated module would have twice. A schema is reported rather than
/// what has its name, because the configuration can give another name to a schema alone.
pub(super) fn check(model: &Model, document: &Document) -> Vec<Diagnostic> {
    let of_server = model.config.server.as_ref().map(|_| server::own_types(model));
    let of_client = model.config.client.as_ref().map(|_| client::own_types(model, document));
    let modules = of_server.into_iter().chain(of_client);
    let found = modules.flat_map(|own_types| {
        let own = own_types.into_iter().map(|own| {
            let mut operations = document.operations().iter();
            let operation = operations.find(|operation| operation.id == own.operation);
            let pointer = operation.map(|operation| operation.pointer.clone()).unwrap_or_default();
            let what = format!("{} of `{}`", own.what, own.operation);
            Named { name: own.name, what, pointer, is_schema: false }
        });
        collisions(document, own.chain(schemas(model)))
    });
    once_each(found.chain(functions(model, document)).collect())
}

/// Reports operations that would be a function that the server has itself.
fn functions(model: &Model, document: &Document) -> Vec<Diagnostic> {
    let is_server = model.config.server.is_some();
    let operations = document.operations().iter().filter(|_| is_server);
    let found = operations.filter_map(|operation| {
        let name = value_name(&operation.id).to_string();
        FUNCTIONS.contains(&name.as_str()).then_some(())?;
        let problem = format!("the server: it has a function `{name}` itself");
        let help = "give the operation another `operationId`".to_owned();
        Some(diagnostic(document, &operation.pointer, problem, Some(help)))
    });
    found.collect()
}

/// Every type and trait of the server that has its name from the document.
#[cfg(test)]
pub(super) fn type_names(model: &Model) -> impl Iterator<Item = Ident> {
    let own = server::own_types(model).into_iter().map(|own| own.name);
    own.chain(schemas(model).into_iter().map(|schema| schema.name))
}

/// The types of schemas, first those that requests have for a schema of both directions.
fn schemas(model: &Model) -> Vec<Named> {
    let mut pointers = BTreeSet::new();
    let named = model.schemas.iter().map(|schema| {
        let is_first = pointers.insert(&schema.pointer);
        let what = if is_first { "this schema" } else { "this schema in requests" };
        let (name, pointer) = (type_name(&schema.name), schema.pointer.clone());
        (is_first, Named { name, what: what.to_owned(), pointer, is_schema: true })
    });
    let mut named: Vec<(bool, Named)> = named.collect();
    named.sort_by_key(|(is_first, _)| *is_first);
    named.into_iter().map(|(_, named)| named).collect()
}

fn collisions(document: &Document, types: impl Iterator<Item = Named>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<Ident, Named> = BTreeMap::new();
    let mut found = Vec::new();
    for named in types {
        let Named { name, what, pointer, is_schema } = &named;
        let other = match seen.get(name) {
            Some(Named { what, pointer, .. }) => {
                let what = what.replace("this schema", "the schema");
                format!("{what} at {}", document.place(pointer))
            }
            None if is_reserved(&name.to_string()) => "one of the generated code itself".to_owned(),
            None => {
                seen.insert(name.clone(), named);
                continue;
            }
        };
        let problem = format!("{what} would be the type `{name}`, and so would be {other}");
        let help = match is_schema {
            true => format!(
                "write `names = {{ {:?} = \"{name}Other\" }}` in contract.toml",
                document.origin(pointer)
            ),
            false => "give the operation another `operationId`, or rename its tag".to_owned(),
        };
        found.push(diagnostic(document, pointer, problem, Some(help)));
    }
    found
}
