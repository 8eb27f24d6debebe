//! Paths and methods (R5): the documented path with the documented methods, and nothing beside.
//! Each path is tried once, for the first of its operations.

use hyper::Method;

use super::{SUBJECTS, subject::Subject};
use crate::{
    case::{
        Case, CaseContext, CaseResult,
        errors::{METHOD_NOT_ALLOWED, NOT_FOUND},
    },
    cases::UNKNOWN_ID,
    document::{DOCUMENT, NO_IDS, undocumented_methods},
    exchange::Request,
};

/// Makes a path that the document does not have.
type Change = fn(&str) -> String;

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    let path = subject.operation.path.as_str();
    for (name, text, what) in NO_IDS.into_iter().filter(|_| subject.has_id()) {
        // A dot segment may be resolved by whatever is in front of the deployment.
        let clause = if name == "nul" { "R3" } else { "R5.404" };
        cases.push(
            subject
                .case(&format!("id.{name}"), clause, async move |subject, context| {
                    let key = context.all()?;
                    let request = subject.to(context, subject.path(|_| text.to_owned()));
                    let response = context.send(request.with(&key)).await?;
                    context.is_error(&response, NOT_FOUND)
                })
                .says(&format!("{{operation}} of an id {what} is 404.")),
        );
    }
    let mut of_path = DOCUMENT.operations().iter().filter(|other| other.path == path);
    if of_path.next().is_none_or(|first| first.id != subject.operation.id) {
        return;
    }
    let wrong: [(&str, Change); 3] = [
        ("route.trailing-slash", |path| format!("{path}/")),
        ("route.longer", |path| format!("{path}/{UNKNOWN_ID}/{UNKNOWN_ID}")),
        ("route.other-case", str::to_uppercase),
    ];
    for (name, change) in wrong {
        cases.push(
            subject
                .case(name, "R5.404", async move |subject, context| {
                    not_found(subject, context, change).await
                })
                .says(&format!("{path} is found under this path only.")),
        );
    }
    for method in undocumented_methods(path) {
        let name = format!("route.{}", method.to_lowercase());
        cases.push(
            subject
                .case(&name, "R5.405", async move |subject, context| {
                    not_allowed(subject, context, method).await
                })
                .says(&format!("{method} {path} is 405, and Allow lists the path's methods.")),
        );
    }
}

async fn not_found(subject: &Subject, context: &mut CaseContext<'_>, change: Change) -> CaseResult {
    let key = context.all()?;
    let path = change(&subject.path(|_| UNKNOWN_ID.to_owned()));
    // The path is checked before the key.
    let request = subject.to(context, path);
    for request in [request.clone(), request.with(&key)] {
        let response = context.send(request).await?;
        context.is_error(&response, NOT_FOUND)?;
    }
    Ok(())
}

async fn not_allowed(subject: &Subject, context: &mut CaseContext<'_>, method: &str) -> CaseResult {
    let subjects = SUBJECTS.iter().filter(|other| other.operation.path == subject.operation.path);
    let required = subjects.clone().filter(|other| other.is_in_profile(context));
    let [required, documented]: [Vec<&str>; 2] =
        [required.map(Subject::method).collect(), subjects.map(Subject::method).collect()];
    let path = subject.path(|_| UNKNOWN_ID.to_owned());
    let mut request = Request::new(Method::from_bytes(method.as_bytes()).expect("a method"), path);
    if method == "POST" {
        // Some frameworks let this header replace the method.
        request = request.header("x-http-method-override", required[0]);
    }
    if method == "OPTIONS" {
        // A preflight request of a browser gets the same response.
        request = request
            .header("origin", "https://elsewhere.example")
            .header("access-control-request-method", required[0]);
    }
    let response = context.send(request).await?;
    response.is(METHOD_NOT_ALLOWED.0)?;
    if method != "HEAD" {
        context.is_error(&response, METHOD_NOT_ALLOWED)?;
    }
    let allow = response.header("allow").unwrap_or_default();
    let allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
    // A deployment may have more of the document's operations than its profile.
    response.that(
        required.iter().all(|method| allowed.contains(method))
            && allowed.iter().all(|method| documented.contains(method)),
        "Allow does not list the methods of the path.",
        &required.join(", "),
        allow,
    )
}
