//! Our router against the framework's, on good and hostile paths. Ours rejects more: empty values,
//! broken escapes and U+0000.

use poem::http::Method;

use super::handlers::routed;
use crate::contract::{Found, Operation};

const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::OPTIONS,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// Values of a path parameter: good ones, then hostile ones.
const VALUES: [&str; 22] = [
    "ptn_01",
    "4815162342",
    "a%20b",
    "%C3%A9",
    "é",
    "a;b",
    "a=b",
    "a%2Fb",
    "%2e%2e",
    "..",
    ".",
    "%2E",
    "a%25b",
    "a+b",
    "detach",
    "",
    "%",
    "%zz",
    "%4",
    "%00",
    "%FF",
    "a%00b",
];

/// Texts before and after a path of the document.
const FRAMES: [(&str, &str); 9] = [
    ("", ""),
    ("", "/"),
    ("/", ""),
    ("", "//"),
    ("", "/x"),
    ("", "%2F"),
    ("", ";v=1"),
    ("/..", ""),
    ("", "/."),
];

fn paths() -> Vec<String> {
    let mut paths = vec![
        "/".to_owned(),
        "/api".to_owned(),
        "/api/v1".to_owned(),
        "/api/v1/".to_owned(),
        "/api/v1//partners".to_owned(),
        "/api/v1/partners/../partners".to_owned(),
        "/api/v1/Partners".to_owned(),
        "/API/v1/partners".to_owned(),
        "/api/v1/%70artners".to_owned(),
        "/api%2Fv1/partners".to_owned(),
        "/api/v1/commission-lines/x/Detach".to_owned(),
        "/api/v1/commission-lines/x/detach/y".to_owned(),
        "/api/v2/partners".to_owned(),
    ];
    for operation in Operation::ALL {
        let values = match operation.info().path.contains("{id}") {
            true => &VALUES[..],
            false => &VALUES[..1],
        };
        for value in values {
            let path = operation.info().path.replace("{id}", value);
            paths.extend(FRAMES.iter().map(|(before, after)| format!("{before}{path}{after}")));
        }
    }
    paths
}

#[tokio::test]
async fn router_agrees_with_the_framework_on_every_path() {
    let (mut found, mut rejected) = (0, 0);
    for path in paths() {
        for method in METHODS {
            let routed = routed(method.clone(), &path).await;
            match Operation::find(&method, &path) {
                Found::Operation { operation, path: values } => {
                    found += 1;
                    let routed = routed
                        .unwrap_or_else(|| panic!("{method} {path}: the framework finds nothing"));
                    let mut words = routed.splitn(3, ' ');
                    assert_eq!(words.next(), Some(operation.info().id), "{method} {path}");
                    if let Some(id) = values.get("id") {
                        let rest = &routed[operation.info().id.len() + 1..];
                        assert!(rest.starts_with(id), "{method} {path}: {rest} is not {id}");
                    }
                }
                Found::MethodNotAllowed { allow } => {
                    rejected += 1;
                    assert!(
                        !allow.split(", ").any(|known| known == method.as_str()),
                        "{method} {path}"
                    );
                    // The framework runs HEAD as GET; we do not (R5).
                    assert!(
                        method == Method::HEAD || routed.is_none(),
                        "{method} {path}: {routed:?}"
                    );
                }
                Found::Unknown => {
                    rejected += 1;
                    assert!(routed.is_none() || is_stricter(&path), "{method} {path}: {routed:?}");
                }
            }
        }
    }
    assert!(found > 100 && rejected > 1000, "{found} found, {rejected} rejected");
}

/// Whether our router may reject the path: a value is empty, undecodable or contains U+0000.
fn is_stricter(path: &str) -> bool {
    let mut escapes = path.split('%').skip(1);
    let is_broken = |escape: &str| {
        let digits = escape.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    ["//", "%00", "%FF"].iter().any(|fault| path.contains(fault)) || escapes.any(is_broken)
}

#[test]
fn path_values_are_decoded_once() {
    let values = |path| match Operation::find(&Method::GET, path) {
        Found::Operation { path, .. } => path.get("id").map(str::to_owned),
        _ => None,
    };
    assert_eq!(values("/api/v1/payouts/a%2Fb").as_deref(), Some("a/b"));
    assert_eq!(values("/api/v1/payouts/a%252Fb").as_deref(), Some("a%2Fb"));
    assert_eq!(values("/api/v1/payouts/%C3%A9+").as_deref(), Some("é+"));
    assert_eq!(values("/api/v1/payouts/%2e%2e").as_deref(), Some(".."));
}

#[test]
fn known_path_names_its_methods() {
    let allow = |method, path| match Operation::find(&method, path) {
        Found::MethodNotAllowed { allow } => allow,
        other => panic!("{other:?}"),
    };
    assert_eq!(allow(Method::DELETE, "/api/v1/partners/x"), "GET, PATCH");
    assert_eq!(allow(Method::HEAD, "/api/v1/partners"), "GET, POST");
    assert_eq!(allow(Method::OPTIONS, "/api/v1/commission-lines/x/detach"), "POST");
}

#[test]
fn value_that_cannot_be_an_id_is_an_unknown_path() {
    for value in ["", "%", "%zz", "%4", "%FF", "%00", "a%00"] {
        let path = format!("/api/v1/payouts/{value}");
        assert_eq!(Operation::find(&Method::GET, &path), Found::Unknown, "{path}");
        assert_eq!(Operation::find(&Method::DELETE, &path), Found::Unknown, "{path}");
    }
}
