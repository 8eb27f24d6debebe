//! The header `traceparent` (W3C Trace Context), which names the trace that a request belongs to.

use poem::http::{HeaderMap, HeaderName};
use serde::{Serialize, Serializer};

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace of a request, and the caller's part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TraceParent {
    trace_id: HexId<32>,
    parent_id: HexId<16>,
}

/// Lower-case hexadecimal digits, not all of them zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HexId<const DIGITS: usize>([u8; DIGITS]);

impl TraceParent {
    /// `None` where the header is missing, malformed or repeated: then the standard has it ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACE_PARENT).iter();
        let value = values.next()?;
        values.next().is_none().then(|| Self::parse(value.as_bytes()))?
    }

    /// `version "-" trace-id "-" parent-id "-" flags`. Later versions may continue after that.
    fn parse(value: &[u8]) -> Option<Self> {
        let (version, rest) = value.split_first_chunk::<2>()?;
        let (trace_id, rest) = rest.strip_prefix(b"-")?.split_first_chunk()?;
        let (parent_id, rest) = rest.strip_prefix(b"-")?.split_first_chunk()?;
        let (flags, rest) = rest.strip_prefix(b"-")?.split_first_chunk::<2>()?;
        let is_complete = rest.is_empty() || (version != b"00" && rest.starts_with(b"-"));
        let is_known = version != b"ff" && is_hex(version) && is_hex(flags) && is_complete;
        let trace_id = HexId::new(trace_id)?;
        is_known.then_some(Self { trace_id, parent_id: HexId::new(parent_id)? })
    }
}

impl<const DIGITS: usize> HexId<DIGITS> {
    fn new(digits: &[u8; DIGITS]) -> Option<Self> {
        let is_valid = is_hex(digits) && digits.iter().any(|digit| *digit != b'0');
        is_valid.then_some(Self(*digits))
    }
}

impl<const DIGITS: usize> Serialize for HexId<DIGITS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&self.0).expect("hexadecimal digits are ASCII"))
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn trace_and_parent_are_read() {
        for rest in ["00", "01", "ff"] {
            let read = TraceParent::parse(format!("00-{TRACE}-{PARENT}-{rest}").as_bytes());
            let read = serde_json::to_value(read.unwrap()).unwrap();
            assert_eq!(read, serde_json::json!({ "trace_id": TRACE, "parent_id": PARENT }));
        }
    }

    #[test]
    fn later_version_may_continue() {
        for later in ["01", "cc", "fe"] {
            for end in ["", "-", "-what-follows"] {
                let value = format!("{later}-{TRACE}-{PARENT}-01{end}");
                assert!(TraceParent::parse(value.as_bytes()).is_some(), "{value}");
            }
        }
        let glued = format!("01-{TRACE}-{PARENT}-01x");
        assert!(TraceParent::parse(glued.as_bytes()).is_none());
    }

    #[test]
    fn malformed_header_is_ignored() {
        let (zeros, upper) = ("0".repeat(32), TRACE.to_uppercase());
        for value in [
            String::new(),
            "00".to_owned(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-"),
            format!("00-{TRACE}-{PARENT}-0"),
            format!("00-{TRACE}-{PARENT}-0g"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("00-{TRACE}-{PARENT}-01 "),
            format!("0-{TRACE}-{PARENT}-01"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("0G-{TRACE}-{PARENT}-01"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{upper}-{PARENT}-01"),
            format!("00_{TRACE}_{PARENT}_01"),
            format!("00-{TRACE}0-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", &TRACE[1..]),
        ] {
            assert_eq!(TraceParent::parse(value.as_bytes()), None, "{value:?}");
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
