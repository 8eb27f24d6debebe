//! Rules about operations: tags, bodies, security.

use std::collections::BTreeSet;

use openapi_document::{Method, Operation, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};

pub(super) fn operation_tag(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations().iter().filter(|known| known.tag.is_none()) {
        let problem = "the operation has no tag, so no group of the generated code has it";
        found.add(&operation.pointer, problem, "add one: `tags: [loans]`");
    }
}

pub(super) fn operation_summary(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations().iter().filter(|known| known.summary.is_none()) {
        let problem = "the operation has no `summary`";
        found.add(&operation.pointer, problem, "say in one line what it does");
    }
}

pub(super) fn body_of_get(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations() {
        let method = match operation.method {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Delete => "DELETE",
            _ => continue,
        };
        if operation.body.is_some() {
            let problem = format!("{method} has no defined body: proxies may drop it");
            let fix = "use parameters, or POST to a path of its own";
            found.add(join(&operation.pointer, "requestBody"), problem, fix);
        }
    }
}

/// Applies to documents with a scope in some operation.
pub(super) fn required_scope(context: &Context<'_>, found: &mut Findings) {
    let operations = context.document.operations();
    if operations.iter().all(|operation| operation.scope.is_none()) {
        return;
    }
    let known: BTreeSet<&str> = context
        .components("securitySchemes")
        .filter_map(|(_, _, scheme)| scheme.get("x-scopes")?.as_object())
        .flat_map(|scopes| scopes.keys().map(String::as_str))
        .collect();
    for Operation { scope, pointer, .. } in operations {
        match scope.as_deref() {
            None => {
                let problem = "the operation has no `x-required-scope`, and others have one";
                found.add(pointer, problem, "add the scope that a key needs");
            }
            Some(scope) if !known.contains(scope) => {
                let problem = format!("no security scheme has the scope `{scope}`");
                let fix = "correct it, or add it to the scheme's `x-scopes`";
                found.add(join(pointer, "x-required-scope"), problem, fix);
            }
            Some(_) => {}
        }
    }
}

pub(super) fn security_scheme(context: &Context<'_>, found: &mut Findings) {
    let known: BTreeSet<&str> =
        context.components("securitySchemes").map(|(name, ..)| name).collect();
    let operations = context.document.operations().iter();
    let owners = operations.map(|operation| operation.pointer.as_str()).chain([""]);
    for owner in owners {
        let at = join(owner, "security");
        let requirements = context.written(&at).and_then(Value::as_array).into_iter().flatten();
        for (index, requirement) in requirements.enumerate() {
            let names = requirement.as_object().into_iter().flat_map(|names| names.keys());
            for name in names.filter(|name| !known.contains(name.as_str())) {
                let pointer = join(&join(&at, &index.to_string()), name);
                let problem = format!("there is no security scheme `{name}`");
                let fix = "define it in `components/securitySchemes`";
                found.add(pointer, problem, fix);
            }
        }
    }
}
