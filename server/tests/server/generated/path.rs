//! Methods and paths: mostly the operation's own, sometimes altered. HTTP can carry all of them.

use openapi_document::Operation;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{values, world::World};
use crate::support::Random;

/// Everything except the unreserved characters of RFC 3986: dots remain, so that `..` is sent as it
/// is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The operation's method, or another one.
pub(super) fn method(random: &mut Random, operation: &Operation) -> String {
    let odd = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get",
        "M-SEARCH",
    ];
    let method = if random.once_in(16) { random.pick(&odd) } else { operation.method.as_str() };
    method.to_owned()
}

/// The operation's path with an id, sometimes altered.
pub(super) fn path(random: &mut Random, world: &World, operation: &Operation) -> String {
    let segments = operation.path.split('/').scan("", |place, segment| {
        let whole = if segment.starts_with('{') {
            let is_hostile = random.once_in(6);
            let id =
                if is_hostile { values::hostile(random) } else { values::id(random, world, place) };
            encoded(&id)
        } else {
            segment.to_owned()
        };
        *place = segment;
        Some(whole)
    });
    let path = segments.collect::<Vec<_>>().join("/");
    match random.next(40) {
        0 => format!("{path}/"),
        1 => path.replacen('/', "//", 1 + random.next(4)),
        2 => path.to_uppercase(),
        3 => format!(
            "{path}{}",
            random.pick(&[
                "/detach",
                "/statement",
                "/..",
                "/%2e%2e",
                ";a=b",
                "%00",
                "%zz",
                "%",
                ".json"
            ])
        ),
        4 => path.replace("v1", random.pick(&["v2", "v1/", "%761", "V1"])),
        5 => path.replacen("api/", random.pick(&["", "api/../api/", "./api/"]), 1),
        _ => path,
    }
}

/// A text, encoded for a path or a query.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}
