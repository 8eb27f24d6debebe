//! The header `traceparent` (W3C Trace Context), which names the trace that a request belongs to.

use std::sync::Arc;

use poem::http::{HeaderMap, HeaderName};
use serde::Serialize;

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace of a request, and the caller's part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TraceParent {
    trace_id: Arc<str>,
    parent_id: Arc<str>,
}

impl TraceParent {
    /// `None` where the header is missing, malformed or repeated: then the standard has it ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACE_PARENT).iter();
        let value = values.next()?;
        values.next().is_none().then(|| Self::parse(value.to_str().ok()?))?
    }

    /// `version "-" trace-id "-" parent-id "-" flags`. Later versions may continue after that.
    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.splitn(5, '-');
        let version = parts.next().filter(|version| is_hex(version, 2) && *version != "ff")?;
        let trace_id = parts.next().filter(|id| is_hex(id, 32) && !is_zero(id))?;
        let parent_id = parts.next().filter(|id| is_hex(id, 16) && !is_zero(id))?;
        parts.next().filter(|flags| is_hex(flags, 2))?;
        let is_complete = parts.next().is_none() || version != "00";
        let (trace_id, parent_id) = (trace_id.into(), parent_id.into());
        is_complete.then_some(Self { trace_id, parent_id })
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|digit| digit == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn well_formed_header_is_read_and_any_other_is_ignored() {
        let (zeros, upper) = ("0".repeat(32), TRACE.to_uppercase());
        let ids = format!("{TRACE}-{PARENT}");
        for (value, is_read) in [
            (format!("00-{ids}-00"), true),
            (format!("00-{ids}-ff"), true),
            // A later version may continue.
            (format!("01-{ids}-01"), true),
            (format!("cc-{ids}-01-"), true),
            (format!("fe-{ids}-01-what-follows"), true),
            (format!("01-{ids}-01x"), false),
            (String::new(), false),
            ("00".to_owned(), false),
            (format!("00-{ids}"), false),
            (format!("00-{ids}-"), false),
            (format!("00-{ids}-0"), false),
            (format!("00-{ids}-0g"), false),
            (format!("00-{ids}-01-more"), false),
            (format!("00-{ids}-01 "), false),
            (format!("0-{ids}-01"), false),
            (format!("ff-{ids}-01"), false),
            (format!("0G-{ids}-01"), false),
            (format!("00-{zeros}-{PARENT}-01"), false),
            (format!("00-{TRACE}-{}-01", "0".repeat(16)), false),
            (format!("00-{upper}-{PARENT}-01"), false),
            (format!("00_{TRACE}_{PARENT}_01"), false),
            (format!("00-{TRACE}0-{PARENT}-01"), false),
            (format!("00-{}-{PARENT}-01", &TRACE[1..]), false),
        ] {
            let expected = TraceParent { trace_id: TRACE.into(), parent_id: PARENT.into() };
            assert_eq!(TraceParent::parse(&value), is_read.then_some(expected), "{value:?}");
        }
    }

    #[test]
    fn repeated_header_is_ignored() {
        let value = format!("00-{TRACE}-{PARENT}-01");
        let mut headers = HeaderMap::new();
        headers.append(TRACE_PARENT, value.parse().unwrap());
        assert!(TraceParent::of(&headers).is_some());
        headers.append(TRACE_PARENT, value.parse().unwrap());
        assert!(TraceParent::of(&headers).is_none());
    }
}
