//! The trace that requests belong to: the header `traceparent` of W3C Trace Context.

use std::{str::FromStr, sync::Arc};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tracing::Span;

use crate::call::random_bytes;

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
/// A server that follows its caller then records the trace.
const SAMPLED: u8 = 1;

/// Returns the trace of the work that makes a call.
pub(crate) type CurrentTrace = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

/// A trace of W3C Trace Context, read from a header `traceparent`.
///
/// ```
/// use payout_client::TraceContext;
///
/// let received = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let trace: TraceContext = received.parse()?;
/// assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// # Ok::<(), payout_client::InvalidTraceContext>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: u128,
    flags: u8,
}

/// A text that is no `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is no `traceparent` of W3C Trace Context; one has a version, a trace, a parent and flags \
     in hexadecimal digits, such as 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
)]
pub struct InvalidTraceContext;

impl TraceContext {
    /// The id of the trace: 32 hexadecimal digits, as logs and tools for traces show it.
    #[must_use]
    pub fn trace_id(self) -> String {
        format!("{:032x}", self.trace_id)
    }

    /// A new trace; `None` where the system has no random numbers.
    fn random() -> Option<Self> {
        let trace_id = u128::from_ne_bytes(random_bytes().ok()?);
        (trace_id != 0).then_some(Self { trace_id, flags: SAMPLED })
    }

    /// The header of one request, which has an id of its own.
    fn header(self) -> Option<HeaderValue> {
        let parent_id = u64::from_ne_bytes(random_bytes().ok()?);
        let value = format!("00-{:032x}-{parent_id:016x}-{:02x}", self.trace_id, self.flags);
        (parent_id != 0).then(|| value.try_into().expect("hexadecimal digits are visible ASCII"))
    }
}

impl FromStr for TraceContext {
    type Err = InvalidTraceContext;

    fn from_str(text: &str) -> Result<Self, InvalidTraceContext> {
        let mut parts = text.splitn(5, '-');
        let mut part = |digits| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let part = parts.next().filter(|part| part.len() == digits);
            let part = part.filter(|part| part.bytes().all(is_digit));
            u128::from_str_radix(part?, 16).ok()
        };
        let read = (part(2), part(32), part(16), part(2));
        let (Some(version), Some(trace_id), Some(parent_id), Some(flags)) = read else {
            return Err(InvalidTraceContext);
        };
        // Later versions may continue after the flags.
        let is_complete = parts.next().is_none() || version != 0;
        if version == 0xff || trace_id == 0 || parent_id == 0 || !is_complete {
            return Err(InvalidTraceContext);
        }
        Ok(Self { trace_id, flags: u8::try_from(flags).expect("two digits") })
    }
}

/// The trace of one call, which all its requests share.
#[derive(Clone, Copy)]
pub(crate) struct CallTrace {
    /// `None` where the caller's header is sent as it is, or there are no random numbers.
    context: Option<TraceContext>,
    /// Nobody has named the trace, so that of a request's span comes first.
    is_new: bool,
}

impl CallTrace {
    /// Finds the trace of a call: that of its headers, that of the current work, or a new one.
    pub(crate) fn begin(headers: &HeaderMap, current: Option<&CurrentTrace>) -> Self {
        let named = match headers.get(TRACE_PARENT) {
            Some(header) => Some(header.to_str().ok().and_then(|text| text.parse().ok())),
            None => current.and_then(|current| current()).map(Some),
        };
        let is_new = named.is_none();
        Self { context: named.unwrap_or_else(TraceContext::random), is_new }
    }

    /// Sets the header of one request, whose span this is.
    pub(crate) fn send(self, headers: &mut HeaderMap, span: &Span) {
        let of_span = self.is_new.then(|| of_span(span)).flatten();
        if let Some(header) = of_span.or_else(|| self.context?.header()) {
            headers.insert(TRACE_PARENT, header);
        }
    }
}

/// The header of a request's span, or else of the span around the call.
#[cfg(feature = "opentelemetry")]
fn of_span(span: &Span) -> Option<HeaderValue> {
    use opentelemetry::trace::TraceContextExt as _;
    use tracing_opentelemetry::OpenTelemetrySpanExt as _;

    let current = Span::current();
    let context = if span.is_disabled() { &current } else { span }.context();
    let span = context.span().span_context().clone();
    let (trace, parent, flags) = (span.trace_id(), span.span_id(), span.trace_flags().to_u8());
    let value = format!("00-{trace}-{parent}-{flags:02x}");
    span.is_valid().then(|| value.try_into().expect("hexadecimal digits are visible ASCII"))
}

/// Returns no trace, because the feature `opentelemetry` is off.
#[cfg(not(feature = "opentelemetry"))]
fn of_span(_: &Span) -> Option<HeaderValue> {
    None
}
