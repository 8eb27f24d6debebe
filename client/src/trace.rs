//! The trace that a call belongs to. (W3C Trace Context)

use opentelemetry::trace::TraceContextExt as _;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// Adds the header `traceparent` of the current span, unless the caller has set one.
pub(crate) fn send_context(headers: &mut HeaderMap) {
    let context = Span::current().context();
    let span = context.span().span_context().clone();
    if span.is_valid() && !headers.contains_key(TRACE_PARENT) {
        let (trace, parent, flags) = (span.trace_id(), span.span_id(), span.trace_flags().to_u8());
        let value = format!("00-{trace}-{parent}-{flags:02x}");
        headers.insert(TRACE_PARENT, HeaderValue::from_str(&value).expect("hexadecimal digits"));
    }
}
