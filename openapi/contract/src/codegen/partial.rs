//! Which operations of a document can be generated: an operation is left out where a diagnostic is
//! in it, or in what it refers to, until no diagnostic is left.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Diagnostic, Document, Operation, pointer::join};
use serde_json::Value;

use crate::codegen::{checked, client::OF_CLIENT, config::Config, read::diagnostic};

/// The operations of a document, by whether they can be generated.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The ids of the operations that every configured output can have.
    pub generated: Vec<String>,
    /// The ids of the others, each with what is not supported.
    pub left_out: Vec<(String, Vec<Diagnostic>)>,
    /// The ids of those of the others that the client alone cannot have.
    pub of_server: Vec<String>,
    /// What the generated code does without.
    pub notes: Vec<Diagnostic>,
}

/// Which operations of the document can be generated, and why the others cannot.
///
/// # Errors
/// Something is not supported that belongs to no operation.
pub fn coverage(document: &Document, config: &Config) -> Result<Coverage, Vec<Diagnostic>> {
    let unknown = unknown_names(document, config);
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let mut config = config.clone();
    let mut left_out: BTreeMap<String, (String, Vec<Diagnostic>)> = BTreeMap::new();
    let mut of_server: Vec<String> = Vec::new();
    loop {
        let of_both = left_out.iter().filter(|(_, (id, _))| !of_server.contains(id));
        let remaining = without(document, of_both.map(|(pointer, _)| pointer))?;
        config.client.iter_mut().for_each(|client| client.leave_out.clone_from(&of_server));
        let diagnostics = match checked(&remaining, &[], &config) {
            Err(diagnostics) => diagnostics,
            Ok(model) => {
                let ids = model.operations.into_iter().map(|operation| operation.id);
                let generated = ids.filter(|id| !of_server.contains(id)).collect();
                let left_out = left_out.into_values().collect();
                let notes = callbacks(document).into_iter().chain(model.notes).collect();
                return Ok(Coverage { generated, left_out, of_server, notes });
            }
        };
        let before = (left_out.len(), of_server.len());
        for operation in remaining.operations() {
            let reasons = reasons(&remaining, operation, &diagnostics);
            if reasons.is_empty() {
                continue;
            }
            of_server.retain(|id| *id != operation.id);
            if reasons.iter().all(|reason| reason.problem.starts_with(OF_CLIENT)) {
                of_server.push(operation.id.clone());
            }
            let known = left_out.entry(operation.pointer.clone()).or_default();
            known.0.clone_from(&operation.id);
            known.1.extend(reasons);
        }
        if (left_out.len(), of_server.len()) == before {
            return Err(diagnostics);
        }
    }
}

/// Callbacks are requests that the server makes: it reads none of them.
fn callbacks(document: &Document) -> Vec<Diagnostic> {
    let pointers = document.operations().iter().map(|it| join(&it.pointer, "callbacks"));
    let written = pointers.filter(|pointer| document.value().pointer(pointer).is_some());
    let problem = "`callbacks` are ignored: the server makes these requests itself";
    written.map(|pointer| diagnostic(document, &pointer, problem, None)).collect()
}

/// The document without the operations with these ids.
pub(crate) fn without_operations(
    document: &Document,
    ids: &[String],
) -> Result<Document, Vec<Diagnostic>> {
    let named = |id: &String| document.operations().iter().find(|operation| operation.id == *id);
    let unknown = ids.iter().filter(|id| named(id).is_none()).map(|id| Diagnostic {
        place: document.place("/paths"),
        pointer: "/paths".to_owned(),
        problem: format!("`leave-out` names `{id}`, which is no operation of the document"),
        help: Some("remove it from `leave-out`".to_owned()),
    });
    let unknown: Vec<Diagnostic> = unknown.collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let pointers = ids.iter().filter_map(named).map(|operation| &operation.pointer);
    without(document, pointers)
}

/// Reports the names of the configuration that the document does not have.
pub(super) fn unknown_names(document: &Document, config: &Config) -> Vec<Diagnostic> {
    let schema = |name: &String| document.value().pointer(&join("/components/schemas", name));
    let by_hand = config.error.by_hand.iter().filter(|name| schema(name).is_none());
    let by_hand = by_hand.map(|name| format!("`by-hand` of `[error]` names the schema `{name}`"));
    let renamed = config.names.keys().filter(|at| document.value().pointer(at).is_none());
    let renamed = renamed.map(|at| format!("`names` has the pointer `{at}`"));
    let report = |what: String| {
        let problem = format!("{what}, which the document does not have");
        diagnostic(document, "/components", problem, Some("correct it, or remove it".to_owned()))
    };
    by_hand.chain(renamed).map(report).collect()
}

/// The diagnostics in an operation, and in what it refers to.
fn reasons(
    document: &Document,
    operation: &Operation,
    diagnostics: &[Diagnostic],
) -> Vec<Diagnostic> {
    let value = document.value();
    let mut roots = vec![document.origin(&operation.pointer)];
    let parameters = operation.parameters.iter().map(|parameter| parameter.pointer.clone());
    roots.extend(parameters.map(|pointer| document.origin(&pointer)));
    // Also parameters of the path that the operation overrides.
    let path_item = join("/paths", &operation.path);
    roots.extend(["$ref", "parameters"].map(|member| join(&path_item, member)));
    let reached = reached(value, roots.iter().filter_map(|root| value.pointer(root)));
    roots.extend(reached.iter().map(|pointer| document.origin(pointer)));
    let is_in = |pointer: &str, root: &String| {
        pointer
            .strip_prefix(root.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let here = diagnostics
        .iter()
        .filter(|diagnostic| roots.iter().any(|root| is_in(&diagnostic.pointer, root)));
    here.cloned().collect()
}

/// The pointers of the components that the values refer to, also through other components.
fn reached<'v>(document: &'v Value, values: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&Value> = values.collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(elements) => pending.extend(elements),
            Value::Object(members) => pending.extend(members.values()),
            Value::String(text) if text.starts_with("#/") => {
                let pointer = openapi_document::pointer::percent_decoded(&text[1..]);
                let target = pointer
                    .and_then(|pointer| Some((document.pointer(&pointer)?, component(&pointer))));
                if let Some((target, pointer)) = target
                    && reached.insert(pointer)
                {
                    pending.push(target);
                }
            }
            _ => {}
        }
    }
    reached
}

/// The pointer of the component that a pointer leads into.
fn component(pointer: &str) -> String {
    let depth = if pointer.starts_with("/components/") { 4 } else { usize::MAX };
    pointer.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The document without these operations, and without components that no other one reaches.
fn without<'p>(
    document: &Document,
    pointers: impl Iterator<Item = &'p String>,
) -> Result<Document, Vec<Diagnostic>> {
    let mut value = document.value().clone();
    for pointer in pointers {
        let (item, method) = pointer.rsplit_once('/').expect("an operation is in a path item");
        if let Some(Value::Object(item)) = value.pointer_mut(item) {
            item.shift_remove(method);
        }
    }
    // The parameters of a path without operations are no reason for another one.
    if let Some(Value::Object(paths)) = value.get_mut("paths") {
        paths.retain(|_, item| {
            item.as_object().is_none_or(|item| item.keys().any(|name| name != "parameters"))
        });
    }
    let roots = ["paths", "x-unrouted-responses"];
    let reached = reached(&value, roots.iter().filter_map(|root| value.get(root)));
    if let Some(Value::Object(components)) = value.get_mut("components") {
        for (section, members) in components {
            let at = join("/components", section);
            if let Value::Object(members) = members
                && section != "securitySchemes"
            {
                members.retain(|name, _| reached.contains(&join(&at, name)));
            }
        }
    }
    document.rewritten(value)
}
