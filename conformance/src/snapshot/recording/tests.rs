//! Sample recordings for the tests of this module, and tests of what a recording holds.

use std::sync::LazyLock;

use hyper::{HeaderMap, StatusCode, header::HeaderName};

use super::*;
use crate::{document::DOCUMENT, secret::Secret, snapshot::text::Body};

/// Compiling the document takes a second.
pub(crate) static INVARIANTS: LazyLock<Invariants> =
    LazyLock::new(|| Invariants::new(&DOCUMENT, true).unwrap());
static PLACES: LazyLock<Places> = LazyLock::new(|| Places::of(&DOCUMENT).unwrap());
const KEY: &str = "sk-canary-0123456789";
const TICKET: &str = "tckt0123456789abcdefghij";

/// A case with these responses of `getPayout`: status, error code and message; of a success
/// `success` and the body.
pub(crate) fn case(id: &str, is_derived: bool, responses: &[&str]) -> (String, CaseRecording) {
    let observations = responses.iter().enumerate().map(|(exchange, response)| {
        let mut words = response.splitn(3, ' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (status, code, text) = (next(), next(), next());
        let body = match code.as_str() {
            SUCCESS => text,
            code => serde_json::json!({ "error": { "code": code, "message": text } }).to_string(),
        };
        let head = format!("{status} Status\ncontent-type: application/json");
        let snapshot = Snapshot::parse(&format!("{head}\n\n{body}"));
        let json = match &snapshot.body {
            Body::Json(json) => Some(json.clone()),
            _ => None,
        };
        Observation {
            key: Key { operation: "getPayout".to_owned(), status: status.parse().unwrap(), code },
            request: format!("GET /api/v1/payouts/{exchange}"),
            snapshot,
            json,
            exchange,
            curl: "curl".to_owned(),
            is_taken: true,
        }
    });
    let observations = observations.collect();
    let description = format!("The sentence of {id}.");
    (id.to_owned(), CaseRecording { description, is_derived, has_passed: true, observations })
}

/// A recording of these cases.
pub(crate) fn recording<const N: usize>(cases: [(String, CaseRecording); N]) -> Recording {
    Recording { cases: cases.into() }
}

/// Records one exchange of a case that takes no snapshot itself.
fn recorded(
    method: &str,
    target: &str,
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> Recording {
    let mut all = HeaderMap::new();
    for (name, value) in headers {
        all.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
    }
    let request = Request::new(method.parse().unwrap(), target);
    let response = Response::new(StatusCode::from_u16(status).unwrap(), all, body.to_owned());
    let subject = Subject {
        case: &KnownCase { id: "a.case", description: "A sentence.".to_owned(), is_derived: true },
        has_passed: true,
        base_url: "https://staging.example.com",
        invariants: &INVARIANTS,
        redaction: &Redaction::of([Secret::new("KEY", KEY)]),
        fixtures: &[],
        exchanges: &[Some((&request, &response))],
        taken: &[Recorded { exchange: 0, random: Vec::new() }],
        unsteady: &[],
    };
    let case = CaseRecording::of(&PLACES, subject, false);
    Recording { cases: [(subject.case.id.to_owned(), case)].into() }
}

#[test]
fn no_secret_of_a_response_or_a_request_is_recorded() {
    let portal = format!("https://portal.example/portal/enter/{TICKET}");
    let link = "https://files.example/a.pdf?expires=1&signature=abcdef";
    let data = serde_json::json!({ "data": {
        "id": KEY, "url": portal, "downloadUrl": link, "name": format!("{portal} {link} {KEY}"),
    } });
    let headers = [
        ("location", portal.as_str()),
        ("x-used", KEY),
        ("set-cookie", "session=s3cr3t; Path=/"),
        ("content-type", "application/json"),
    ];
    for (method, target, status) in [
        ("GET", "/api/v1/partners/ptn_1", 200),
        ("POST", "/api/v1/payouts/pay_1/statement", 200),
        ("POST", "/api/v1/portal-sessions", 201),
        ("GET", "/nowhere?key=sk-canary-0123456789", 404),
    ] {
        let recording = recorded(method, target, status, &headers, &data.to_string());
        let one = &recording.cases["a.case"].observations[0];
        let text = one.snapshot.to_string();
        for shown in [&text, &one.request, &one.curl] {
            for secret in [KEY, TICKET, "signature", "abcdef", "s3cr3t"] {
                assert!(!shown.contains(secret), "{target}: {secret} in {shown}");
            }
        }
        assert!(text.contains("set-cookie: [cookie]") && text.contains("x-used: [key]"), "{text}");
    }
}

#[test]
fn every_header_but_those_of_the_transport_is_recorded() {
    let headers = [
        ("date", "Thu, 01 Jan 2026 00:00:00 GMT"),
        ("cache-control", "no-store"),
        ("content-length", "2"),
        ("x-request-id", "abc"),
    ];
    let recording = recorded("GET", "/api/v1/partners", 500, &headers, "oh");
    let one = &recording.cases["a.case"].observations[0];
    assert_eq!(
        one.snapshot.to_string(),
        "500 Internal Server Error\nx-request-id: [request-id]\ncache-control: no-store\n\noh"
    );
    assert_eq!(one.key.name(), "listPartners/500_NO_CODE");
}

#[test]
fn text_without_the_format_of_an_id_is_not_bound() {
    let of = |id: &str| {
        let body = serde_json::json!({ "data": { "id": id, "updatedAt": "yesterday" } });
        let recording = recorded("GET", "/api/v1/partners/x", 200, &[], &body.to_string());
        recording.cases["a.case"].observations[0].snapshot.to_string()
    };
    let moment = |time: &str| {
        let body = serde_json::json!({ "data": { "updatedAt": time } });
        let recording = recorded("GET", "/api/v1/partners/x", 200, &[], &body.to_string());
        recording.cases["a.case"].observations[0].snapshot.to_string()
    };
    assert!(moment("2026-01-02T09:00:00.000Z").contains("[time]"));
    for other in ["2026-01-02T09:00:00Z", "2026-01-02T09:00:00.000+00:00"] {
        assert!(moment(other).contains(other), "{}", moment(other));
    }
    assert!(of("ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A").contains("\"id\": \"[partner.1]\""));
    let text = of("");
    assert!(
        text.contains("\"id\": \"\"") && text.contains("\"updatedAt\": \"yesterday\""),
        "{text}"
    );
}

#[test]
fn request_id_without_its_format_is_not_bound() {
    let shown = |id: &str| {
        let recording = recorded("GET", "/api/v1/partners", 200, &[("x-request-id", id)], "");
        recording.cases["a.case"].observations[0].snapshot.to_string()
    };
    assert!(shown("01JV3N8Q").ends_with("x-request-id: [request-id]"));
    assert!(shown("01 JV3N8Q").ends_with("x-request-id: 01 JV3N8Q"));
}
