//! The body of `updatePartner` (R2 to R4): it is accepted where the document's schema accepts it,
//! and every error names exactly the places that break the schema.
//!
//! [`Verdict`] lists the differences: a duplicate key, nesting deeper than 16, U+0000.

use std::{collections::BTreeSet, sync::LazyLock};

use openapi_document::Validator;
use openapi_runtime::{ISSUES_LIMIT, json::JSON_DEPTH_LIMIT};

use payout_server::contract::{Arguments, Operation, Problem, RequestForm, decode, types};
use poem::http::{HeaderMap, HeaderValue, Method, header::CONTENT_TYPE};
use poem_openapi::types::ToJSON;
use serde_json::Value;

use super::{document, issues, reading, source::Source};

fn fields() -> &'static [&'static str] {
    Operation::UpdatePartner.info().body_fields
}

const OTHER_FIELDS: [&str; 6] = ["", "id", "Name", "__proto__", "a/b~c", "\u{1F680}"];

static SCHEMA: LazyLock<Validator> =
    LazyLock::new(|| document::validator("/components/schemas/UpdatePartnerRequest"));

/// The document's verdict on a body.
#[derive(Debug)]
enum Verdict {
    /// No JSON; or JSON with a duplicate key, or nested deeper than the limit: 400.
    Unreadable,
    /// It breaks the schema in these places, and may contain U+0000 in others: 422.
    Broken { places: BTreeSet<String>, holds_nul: bool },
    /// The schema accepts it, but a text in it contains U+0000, which a schema cannot reject in
    /// every text (R3): 422.
    HoldsNul,
    /// It is accepted, as this value.
    Sound(Value),
}

/// Any bytes: as the body, and as the source of a body of the document's fields.
pub fn claim(data: &[u8]) {
    is_judged_alike(data);
    is_judged_alike(body(&mut Source::new(data)).as_bytes());
}

fn is_judged_alike(body: &[u8]) {
    let shown = String::from_utf8_lossy(body);
    match (verdict(body), judged(body)) {
        (Verdict::Sound(expected), Ok(value)) => {
            assert_eq!(value.to_json(), Some(expected), "{shown}");
        }
        (Verdict::Unreadable, Err(problem)) => {
            assert_eq!(problem.code, types::ErrorCode::InvalidJson, "{shown}");
            assert!(issues::places(&problem).is_empty(), "{shown}");
        }
        (Verdict::HoldsNul, Err(problem)) => {
            assert_eq!(problem.code, types::ErrorCode::ValidationFailed, "{shown}");
            assert!(!issues::places(&problem).is_empty(), "{shown}");
        }
        (Verdict::Broken { places, holds_nul }, Err(problem)) => {
            assert_eq!(problem.code, types::ErrorCode::ValidationFailed, "{shown}");
            let issues = issues::places(&problem);
            assert!(issues.iter().all(|(part, _)| part == "body"), "{shown}: {issues:?}");
            let reported: BTreeSet<String> = issues.into_iter().map(|(_, path)| path).collect();
            let is_reported = match places.len() {
                0..=ISSUES_LIMIT => {
                    reported.is_superset(&places) && (holds_nul || reported == places)
                }
                _ => reported.len() == ISSUES_LIMIT && (holds_nul || reported.is_subset(&places)),
            };
            assert!(is_reported, "{shown}: reported {reported:?}, broken {places:?}");
        }
        (verdict, judged) => panic!("{shown} is {verdict:?}, and was judged {judged:?}"),
    }
}

fn verdict(body: &[u8]) -> Verdict {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Verdict::Unreadable;
    };
    let reading = reading::read(body);
    if reading.repeats_a_key || reading.depth > JSON_DEPTH_LIMIT {
        return Verdict::Unreadable;
    }
    let violations = SCHEMA.validate(&value);
    assert_eq!(violations.is_empty(), SCHEMA.is_valid(&value));
    match (violations.is_empty(), holds_nul(&value)) {
        (true, false) => Verdict::Sound(value),
        (true, true) => Verdict::HoldsNul,
        (false, holds_nul) => {
            let pointers = violations.into_iter().map(|violation| violation.pointer);
            Verdict::Broken { places: pointers.collect(), holds_nul }
        }
    }
}

/// Searches the parsed texts and names: in JSON, `\\u0000` is a backslash and five characters.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => {
            let mut members = members.iter();
            members.any(|(name, member)| name.contains('\0') || holds_nul(member))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn judged(body: &[u8]) -> Result<types::UpdatePartnerRequest, Problem> {
    let info = Operation::UpdatePartner.info();
    let found = Operation::find(&Method::PATCH, &info.path.replace("{id}", "x"));
    let payout_server::contract::Found::Operation { path, .. } = found else {
        panic!("the operation has a path");
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let request = RequestForm { path: &path, query: None, headers: &headers, body };
    match decode(Operation::UpdatePartner, &request)? {
        Arguments::UpdatePartner(_, body) => Ok(body),
        other => panic!("{other:?}"),
    }
}

/// An object of the document's fields, mostly with values near their bounds.
fn body(source: &mut Source) -> String {
    let count = source.below(fields().len() + 2);
    let members = (0..count).map(|_| {
        let is_known = source.below(8) != 0;
        let name = if is_known { source.pick(fields()) } else { source.pick(&OTHER_FIELDS) };
        format!("{}:{}", Value::from(name), value(source, 3))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn value(source: &mut Source, depth: usize) -> String {
    match source.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::from(source.text(300)).to_string(),
        1 => {
            let character = source.pick(&["a", "\u{e9}", "\u{1F680}", "e\u{301}"]);
            Value::from(character.repeat(source.pick(&[0, 1, 100, 199, 200, 201, 254, 255, 256])))
                .to_string()
        }
        2 => source
            .pick(&["\"RESTRICTED_USERS\"", "\"RESTRICTED_DOMAINS\"", "\"restricted_users\""])
            .to_owned(),
        3 => "null".to_owned(),
        4 => source
            .pick(&[
                "true",
                "0",
                "-0",
                "1.5",
                "1e308",
                "1e309",
                "18446744073709551616",
                "\"\\u0000\"",
            ])
            .to_owned(),
        5 => source.number().to_string(),
        6 => format!("[{}]", value(source, depth - 1)),
        _ => format!("{{\"name\":{}}}", value(source, depth - 1)),
    }
}
