//! Paths and methods (R5): the documented path with the documented methods, and nothing beside.
//! Each path is tried once, for the first of its operations.

use super::prelude::*;
use crate::document::{NO_IDS, matches, undocumented_methods, without_two_segments};

/// A path that the document does not have: its name, how it is made, and the documented path that a
/// faulty deployment takes it for.
type WrongPath = (&'static str, fn(&str) -> String, fn(&str) -> Option<String>);

const WRONG: [WrongPath; 3] = [
    ("trailing-slash", |path| format!("{path}/"), |path| path.strip_suffix('/').map(str::to_owned)),
    ("longer", |path| format!("{path}/{UNKNOWN_ID}/{UNKNOWN_ID}"), without_two_segments),
    ("other-case", str::to_uppercase, |path| Some(path.to_lowercase())),
];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let path = subject.operation.path.as_str();
    for (name, text, what) in NO_IDS.into_iter().filter(|_| subject.has_id()) {
        probes.push(no_id(subject, name, text, what));
    }
    let mut of_path = DOCUMENT.operations().iter().filter(|other| other.path == path);
    if of_path.next().is_none_or(|first| first.id != subject.operation.id) {
        return;
    }
    for (name, change, correct) in WRONG {
        let case = format!("route.{name}");
        let case = subject.case(&case, "R5.404", async move |subject, context| {
            let key = context.all()?;
            // The path is checked before the key.
            let request = subject.to(context, change(&subject.path(|_| UNKNOWN_ID.to_owned())));
            for request in [request.clone(), request.with(&key)] {
                context.expect(request, NOT_FOUND).await?;
            }
            Ok(())
        });
        let fault = rewrites_every(move |request| {
            let wrong = request.path().to_owned();
            let corrected = correct(&wrong).filter(|other| matches(path, other).is_some());
            if let Some(other) = corrected.filter(|_| matches(path, &wrong).is_none()) {
                request.target = request.target.replacen(&wrong, &other, 1);
            }
        });
        let sentence = format!("{path} is found under other paths, too ({name}).");
        let case = case.says(&format!("{path} is found under this path only."));
        probes.push(case.fault(&sentence, fault));
    }
    probes.extend(undocumented_methods(path).map(|method| not_allowed(subject, method)));
}

/// A path with something in place of an id that names nothing.
fn no_id(subject: &'static Subject, name: &str, text: &'static str, what: &'static str) -> Probe {
    // A dot segment may be resolved by whatever is in front of the deployment.
    let clause = if name == "nul" { "R3" } else { "R5.404" };
    let case = subject.case(&format!("id.{name}"), clause, async move |subject, context| {
        let key = context.all()?;
        let request = subject.to(context, subject.path(|_| text.to_owned()));
        context.expect(request.with(&key), NOT_FOUND).await.map(drop)
    });
    let fault = edits_every(move |request, response, _| {
        let id = matches(&subject.operation.path, request.path());
        let is_meant = request.method == subject.method() && id == Some(Some(text));
        if is_meant && response.has_status(404) {
            response.set_code(400, "INVALID_ID");
        }
    });
    let sentence = format!("{{operation}} of an id {what} is 400.");
    case.says(&format!("{{operation}} of an id {what} is 404.")).fault(&sentence, fault)
}

/// A method that the path does not have.
fn not_allowed(subject: &'static Subject, method: &'static str) -> Probe {
    let path = subject.operation.path.as_str();
    let name = format!("route.{}", method.to_lowercase());
    let case = subject.case(&name, "R5.405", async move |subject, context| {
        let same_path = SUBJECTS.iter().filter(|other| other.operation.path == path);
        let required = same_path.clone().filter(|other| other.is_in_profile(context));
        let [required, documented]: [Vec<&str>; 2] =
            [required.map(Subject::method).collect(), same_path.map(Subject::method).collect()];
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = Request::new(method.clone(), subject.path(|_| UNKNOWN_ID.to_owned()));
        if method == Method::POST {
            // Some frameworks let this header replace the method.
            request = request.header("x-http-method-override", required[0]);
        }
        if method == Method::OPTIONS {
            // A preflight request of a browser gets the same response.
            request = request
                .header("origin", "https://elsewhere.example")
                .header("access-control-request-method", required[0]);
        }
        let response = context.send(request).await?;
        response.is(METHOD_NOT_ALLOWED.0)?;
        if method != Method::HEAD {
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
    });
    let fault = edits_every(move |request, response, _| {
        let is_meant = request.method == method && matches(path, request.path()).is_some();
        if is_meant && response.has_status(405) {
            response.set_code(404, NOT_FOUND.1);
        }
    });
    case.says(&format!("{method} {path} is 405, and Allow lists the path's methods."))
        .fault(&format!("{method} {path} is 404."), fault)
}
