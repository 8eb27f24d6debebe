//! The body of `updatePartner` (R2 to R4): it is accepted where the document's schema accepts it,
//! and every error names exactly the places that break the schema. Three rules are in no schema: a
//! duplicate key, nesting deeper than 16, U+0000.

use std::{collections::BTreeSet, sync::LazyLock};

use openapi_document::{Direction, Document, Validator};
use openapi_runtime::{ISSUES_LIMIT, json::JSON_DEPTH_LIMIT};
use payout_server::contract::{
    Arguments, Found, Operation, Problem, RequestForm, decode,
    types::{ErrorCode, UpdatePartnerRequest},
};
use poem::http::{HeaderMap, HeaderValue, Method, header::CONTENT_TYPE};
use serde_json::Value;

use super::{issues, reading, source::Source};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let document = Document::parse("api.yaml", payout_server::http::docs::DOCUMENT);
    let document = document.expect("the document is sound");
    let pointer = "/components/schemas/UpdatePartnerRequest";
    document.validator(pointer, Direction::Request).expect("the document has it")
});

/// Any bytes: as the body, and as the source of a body of the document's fields.
pub fn claim(data: &[u8]) {
    is_judged_alike(data);
    is_judged_alike(body(&mut Source::new(data)).as_bytes());
}

fn is_judged_alike(body: &[u8]) {
    let shown = String::from_utf8_lossy(body);
    let value = serde_json::from_slice::<Value>(body).ok().filter(|_| {
        let reading = reading::read(body);
        !reading.repeats_a_key && reading.depth <= JSON_DEPTH_LIMIT
    });
    let (value, judged) = (value, judged(body));
    let (Some(value), Some(problem)) = (&value, judged.as_ref().err()) else {
        match (value, judged) {
            (Some(value), Ok(read)) => {
                assert!(SCHEMA.is_valid(&value) && !holds_nul(&value), "{shown} is accepted");
                assert_eq!(serde_json::to_value(read).ok(), Some(value), "{shown}");
            }
            (None, Err(problem)) => assert_eq!(problem.code, ErrorCode::InvalidJson, "{shown}"),
            (value, judged) => panic!("{shown} is {value:?}, and was judged {judged:?}"),
        }
        return;
    };
    assert_eq!(problem.code, ErrorCode::ValidationFailed, "{shown}");
    let violations = SCHEMA.validate(value).into_iter().map(|violation| violation.pointer);
    let (broken, holds_nul) = (violations.collect::<BTreeSet<_>>(), holds_nul(value));
    assert!(holds_nul || !broken.is_empty(), "{shown} is rejected");
    let issues = issues::places(problem);
    assert!(issues.iter().all(|(part, _)| part == "body"), "{shown}: {issues:?}");
    let reported: BTreeSet<String> = issues.into_iter().map(|(_, path)| path).collect();
    let is_reported = match broken.len() {
        0..=ISSUES_LIMIT => reported.is_superset(&broken) && (holds_nul || reported == broken),
        _ => reported.len() == ISSUES_LIMIT && (holds_nul || reported.is_subset(&broken)),
    };
    assert!(is_reported, "{shown}: reported {reported:?}, broken {broken:?}");
}

/// Searches the parsed texts and names: in JSON, `\\u0000` is a backslash and five characters.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => {
            members.iter().any(|(name, member)| name.contains('\0') || holds_nul(member))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn judged(body: &[u8]) -> Result<UpdatePartnerRequest, Problem> {
    let path = Operation::UpdatePartner.info().path.replace("{id}", "x");
    let Found::Operation { path, .. } = Operation::find(&Method::PATCH, &path) else {
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

/// An object of the document's fields and others, mostly with values near their bounds.
fn body(source: &mut Source) -> String {
    let fields = Operation::UpdatePartner.info().body_fields;
    let fields = [fields, &["", "id", "Name", "__proto__", "a/b~c", "\u{1F680}"]].concat();
    let count = source.below(fields.len());
    let members =
        (0..count).map(|_| format!("{}:{}", Value::from(source.pick(&fields)), value(source, 3)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn value(source: &mut Source, depth: usize) -> String {
    match source.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::from(source.text(300)).to_string(),
        1 => {
            let character = source.pick(&["a", "\u{e9}", "\u{1F680}", "e\u{301}"]);
            let length = source.pick(&[0, 1, 100, 199, 200, 201, 254, 255, 256]);
            Value::from(character.repeat(length)).to_string()
        }
        2 => source.number().to_string(),
        3 => {
            let words = "\"RESTRICTED_USERS\" \"RESTRICTED_DOMAINS\" null true -0 1.5 1e308 1e309 \
                         18446744073709551616 \"\\u0000\"";
            source.pick(&words.split(' ').collect::<Vec<_>>()).to_owned()
        }
        4 => format!("[{}]", value(source, depth - 1)),
        _ => format!("{{\"name\":{}}}", value(source, depth - 1)),
    }
}
