//! Faults of paths and methods: what is beside the documented ones is answered otherwise than by
//! 404 and 405.

use payout_openapi::Operation;

use super::maker::Maker;
use crate::{
    message::Request,
    operations::{DOCUMENT, matches},
};

/// Methods that the suite tries on each path.
const METHODS: [&str; 8] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"];
/// What stands in place of an id, and names nothing.
const NO_IDS: [(&str, &str); 5] = [
    ("nul", "%00"),
    ("undecodable", "%zz"),
    ("not-utf-8", "%ff"),
    ("encoded-slash", "%2F"),
    ("dots", "/.."),
];

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let (id, path) = (&operation.id, operation.path.as_str());
    for (name, text) in NO_IDS.into_iter().filter(|_| path.contains('{')) {
        let method = operation.method.as_str();
        let sentence = format!("{id} of an id with {text} is 400.");
        maker.exchange_all(
            &format!("id.{name}"),
            sentence,
            Vec::new(),
            move |request, upstream| {
                Box::pin(async move {
                    let mut response = upstream.send(&request).await;
                    let is_meant = request.method.as_str() == method
                        && matches(path, request.path()).is_some()
                        && request.path().contains(text);
                    if is_meant && response.is(404) {
                        response.set_code(400, "INVALID_ID");
                    }
                    response
                })
            },
        );
    }
    let mut of_path = DOCUMENT.operations().iter().filter(|other| other.path == path);
    if of_path.next().is_none_or(|first| first.id != *id) {
        return;
    }
    let documented: Vec<&str> = DOCUMENT
        .operations()
        .iter()
        .filter(|other| other.path == path)
        .map(|other| other.method.as_str())
        .collect();
    for method in METHODS.into_iter().filter(|method| !documented.contains(method)) {
        let name = format!("route.{}", method.to_lowercase());
        let sentence = format!("{method} {path} is 404.");
        maker.exchange_all(&name, sentence, Vec::new(), move |request, upstream| {
            Box::pin(async move {
                let mut response = upstream.send(&request).await;
                let is_meant =
                    request.method.as_str() == method && matches(path, request.path()).is_some();
                if is_meant && response.is(405) {
                    response.set_code(404, "NOT_FOUND");
                }
                response
            })
        });
    }
    let others: [(&str, Mend); 3] = [
        ("trailing-slash", |path| path.strip_suffix('/').map(str::to_owned)),
        ("longer", without_two_segments),
        ("other-case", |path| Some(path.to_lowercase())),
    ];
    for (name, mend) in others {
        let sentence = format!("{path} is found under other paths, too ({name}).");
        maker.exchange_all(
            &format!("route.{name}"),
            sentence,
            Vec::new(),
            move |request, upstream| {
                Box::pin(async move { upstream.send(&mended(request, path, mend)).await })
            },
        );
    }
}

/// From a wrong path to the documented one that it is taken for.
type Mend = fn(&str) -> Option<String>;

fn without_two_segments(path: &str) -> Option<String> {
    let (path, _) = path.rsplit_once('/')?;
    path.rsplit_once('/').map(|(path, _)| path.to_owned())
}

/// The request for the path that this one is taken for.
fn mended(mut request: Request, template: &str, mend: Mend) -> Request {
    let path = request.path().to_owned();
    if matches(template, &path).is_none()
        && let Some(other) = mend(&path)
        && matches(template, &other).is_some()
    {
        request.target = request.target.replacen(&path, &other, 1);
    }
    request
}
