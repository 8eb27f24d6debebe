//! The header `traceparent` (W3C Trace Context), which names the trace that a request belongs to.

use std::sync::Arc;

use poem::http::{HeaderMap, HeaderName};
use serde::Serialize;

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace of a request, and the caller's part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TraceParent {
    pub(super) trace_id: Arc<str>,
    pub(super) parent_id: Arc<str>,
    /// Whether the caller records the trace.
    #[serde(skip)]
    pub(super) flags: u8,
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
        let flags = parts.next().filter(|flags| is_hex(flags, 2))?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        let is_complete = parts.next().is_none() || version != "00";
        let (trace_id, parent_id) = (trace_id.into(), parent_id.into());
        is_complete.then_some(Self { trace_id, parent_id, flags })
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
    use crate::outcomes::outcomes;

    /// The last row has the header twice.
    #[test]
    fn headers_are_read_or_ignored() {
        insta::assert_snapshot!(outcomes(include_str!("trace_parent/headers.txt"), |row| {
            let values = row.split(" & ").map(|value| (TRACE_PARENT, value.parse().unwrap()));
            TraceParent::of(&values.collect()).map_or("ignored".into(), |read| {
                format!("trace {}, parent {}", read.trace_id, read.parent_id)
            })
        }));
    }
}
