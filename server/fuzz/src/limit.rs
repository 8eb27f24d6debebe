//! A list's query (R6, R9): it is accepted if each pair is a parameter of the document, once, with
//! a value that its schema accepts; `limit` is `[1-9][0-9]{0,2}` up to 100. Cursors have a target
//! of their own.

use std::{collections::HashSet, sync::LazyLock};

use openapi_document::Validator;
use payout_server::contract::{Operation, PathValues, RequestForm, decode, types::PageLimit};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use poem::http::HeaderMap;
use poem_openapi::types::ParseFromParameter;
use serde_json::Value;

use super::{document, issues};

type Parameters = Vec<(String, Validator)>;
/// Names and values, or parts and places.
type Pairs = Vec<(String, String)>;

static PARTNERS: LazyLock<Parameters> =
    LazyLock::new(|| document::query_parameters("listPartners"));
static LINES: LazyLock<Parameters> =
    LazyLock::new(|| document::query_parameters("listCommissionLines"));

/// Any text: as the value of `limit`, and as a whole query.
pub fn claim(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let lists = [(Operation::ListPartners, &*PARTNERS), (Operation::ListCommissionLines, &*LINES)];
    for (list, parameters) in lists {
        is_judged_as_limit(list, text);
        is_judged_as_query(list, parameters, text);
    }
}

fn is_judged_as_limit(list: Operation, value: &str) {
    let query = format!("limit={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    match (limit(value), decode_query(list, &query)) {
        (Some(number), Ok(())) => {
            let read = PageLimit::parse_from_parameter(value).expect("what passes can be read");
            assert_eq!(read.get(), number);
        }
        (None, Err(places)) => assert_eq!(places, [("query".to_owned(), "/limit".to_owned())]),
        (expected, judged) => panic!("{value:?} is {expected:?}, and was judged {judged:?}"),
    }
}

fn is_judged_as_query(list: Operation, parameters: &Parameters, query: &str) {
    let pairs =
        query.split('&').filter(|part| !part.is_empty()).map(pair).collect::<Option<Vec<_>>>();
    // A cursor has an error of its own, and a target of its own.
    if query.split('&').filter_map(pair).any(|(name, _)| name == "cursor") {
        return;
    }
    let judged = decode_query(list, query);
    let expected = pairs.filter(|pairs| pairs_are_sound(parameters, pairs));
    match (expected, judged) {
        (Some(_), Ok(())) => {}
        (None, Err(places)) => {
            assert!(places.iter().all(|(place, _)| place == "query"), "{query:?}: {places:?}")
        }
        (expected, judged) => panic!("{query:?} is {expected:?}, and was judged {judged:?}"),
    }
}

/// The places of the query's violations.
fn decode_query(list: Operation, query: &str) -> Result<(), Pairs> {
    let request = RequestForm {
        path: &PathValues::default(),
        query: Some(query),
        headers: &HeaderMap::new(),
        body: &[],
    };
    let decoded = decode(list, &request);
    decoded.map(drop).map_err(|problem| {
        assert_eq!(problem.status(), 422);
        issues::places(&problem)
    })
}

fn pairs_are_sound(parameters: &Parameters, pairs: &[(String, String)]) -> bool {
    let names: HashSet<&String> = pairs.iter().map(|(name, _)| name).collect();
    let is_sound = |(name, text): &(String, String)| {
        let Some((_, schema)) = parameters.iter().find(|(known, _)| known == name) else {
            return false;
        };
        let value = match name.as_str() {
            "limit" => limit(text).map(Value::from),
            // A schema cannot reject U+0000 in every text (R3).
            _ => (!text.contains('\0')).then(|| Value::from(text.as_str())),
        };
        value.is_some_and(|value| schema.is_valid(&value))
    };
    names.len() == pairs.len() && pairs.iter().all(is_sound)
}

/// `name=value`, both sides decoded; `None` for an invalid escape or invalid UTF-8.
fn pair(part: &str) -> Option<(String, String)> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let decoded = |text: &str| {
        let is_digit = |place: usize| text.as_bytes().get(place).is_some_and(u8::is_ascii_hexdigit);
        let mut escapes = text.match_indices('%');
        let text = text.replace('+', " ");
        let is_sound = escapes.all(|(place, _)| is_digit(place + 1) && is_digit(place + 2));
        is_sound
            .then(|| percent_decode_str(&text).decode_utf8().ok().map(|text| text.into_owned()))?
    };
    Some((decoded(name)?, decoded(value)?))
}

/// `[1-9][0-9]{0,2}`, up to 100.
fn limit(text: &str) -> Option<i64> {
    let digits = match text.as_bytes() {
        [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] => text,
        b"100" => text,
        _ => return None,
    };
    Some(digits.bytes().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}
