//! Faults of paths and methods: what is beside the documented ones is answered otherwise than by
//! 404 and 405.

use openapi_document::Operation;

use super::maker::Maker;
use crate::{
    document::{DOCUMENT, matches},
    document::{NO_IDS, undocumented_methods},
};

/// From a wrong path to the documented one that it is taken for.
type Correct = fn(&str) -> Option<String>;

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let path = operation.path.as_str();
    for (name, text, what) in NO_IDS.into_iter().filter(|_| path.contains('{')) {
        let method = operation.method.as_str();
        let sentence = format!("{{operation}} of an id {what} is 400.");
        maker.edit_all(&format!("id.{name}"), &sentence, &[], move |request, response, _| {
            let is_meant =
                request.method == method && matches(path, request.path()) == Some(Some(text));
            if is_meant && response.has_status(404) {
                response.set_code(400, "INVALID_ID");
            }
        });
    }
    let mut of_path = DOCUMENT.operations().iter().filter(|other| other.path == path);
    if of_path.next().is_none_or(|first| first.id != operation.id) {
        return;
    }
    for method in undocumented_methods(path) {
        let name = format!("route.{}", method.to_lowercase());
        let sentence = format!("{method} {path} is 404.");
        maker.edit_all(&name, &sentence, &[], move |request, response, _| {
            let is_meant = request.method == method && matches(path, request.path()).is_some();
            if is_meant && response.has_status(405) {
                response.set_code(404, "NOT_FOUND");
            }
        });
    }
    let others: [(&str, Correct); 3] = [
        ("trailing-slash", |path| path.strip_suffix('/').map(str::to_owned)),
        ("longer", without_two_segments),
        ("other-case", |path| Some(path.to_lowercase())),
    ];
    for (name, correct) in others {
        let sentence = format!("{path} is found under other paths, too ({name}).");
        maker.rewrite_all(&format!("route.{name}"), &sentence, move |request| {
            let wrong = request.path().to_owned();
            let corrected = correct(&wrong).filter(|other| matches(path, other).is_some());
            if let Some(other) = corrected.filter(|_| matches(path, &wrong).is_none()) {
                request.target = request.target.replacen(&wrong, &other, 1);
            }
        });
    }
}

pub(super) fn without_two_segments(path: &str) -> Option<String> {
    let (path, _) = path.rsplit_once('/')?;
    path.rsplit_once('/').map(|(path, _)| path.to_owned())
}
