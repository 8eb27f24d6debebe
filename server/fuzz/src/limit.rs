//! The `limit` of a list (R6): it is accepted exactly as `[1-9][0-9]{0,2}` up to 100, and read as
//! this number. The suite's random requests judge whole queries.

use openapi_runtime::reading::FromText as _;
use payout_server::contract::{Operation, PathValues, RequestForm, decode, types::PageLimit};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use poem::http::HeaderMap;

use super::issues;

/// Any text: as the value of `limit`, and as a whole query, which must not panic.
pub fn claim(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    for list in [Operation::ListPartners, Operation::ListCommissionLines] {
        let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC);
        match (limit(text), places(list, &format!("limit={encoded}"))) {
            (Some(number), None) => {
                let read = PageLimit::from_text(text).expect("what passes can be read");
                assert_eq!(read.get(), number);
            }
            (None, Some(places)) => assert_eq!(places, [("query".to_owned(), "/limit".to_owned())]),
            (expected, judged) => panic!("{text:?} is {expected:?}, and was judged {judged:?}"),
        }
        let places = places(list, text).unwrap_or_default();
        assert!(places.iter().all(|(place, _)| place == "query"), "{text:?}: {places:?}");
    }
}

/// The places of the query's violations; `None` if it is accepted.
fn places(list: Operation, query: &str) -> Option<Vec<(String, String)>> {
    let (path, headers) = (PathValues::default(), HeaderMap::new());
    let form = RequestForm { path: &path, query: Some(query), headers: &headers, body: &[] };
    decode(list, &form).err().map(|problem| issues::places(&problem))
}

/// `[1-9][0-9]{0,2}`, up to 100.
fn limit(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] | b"100" => text.parse().ok(),
        _ => None,
    }
}
