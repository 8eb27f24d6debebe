//! A span for each request, as OpenTelemetry has them. The feature `otlp` sends them to a
//! collector; without it there are none.

use std::{env, sync::Arc};

use serde::Serialize;

#[cfg(not(feature = "otlp"))]
mod off;
#[cfg(feature = "otlp")]
mod otlp;

#[cfg(not(feature = "otlp"))]
pub use self::off::Spans;
#[cfg(feature = "otlp")]
pub use self::otlp::Spans;

#[cfg(not(feature = "otlp"))]
pub(crate) use self::off::RequestSpan;
#[cfg(feature = "otlp")]
pub(crate) use self::otlp::RequestSpan;

/// Either variable names the collector; without both, no spans are made.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Members of a request's log lines that lead to its span.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SpanIds {
    /// `None` where the caller's `traceparent` has it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<Arc<str>>,
    span_id: Arc<str>,
}

/// Spans cannot be sent as the environment asks. The text tells the operator what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SpansError(String);

/// Returns the first of these variables that is set, with its name.
fn first_set<'a>(names: &[&'a str]) -> Option<(&'a str, String)> {
    let mut set = names.iter().filter_map(|name| Some((*name, env::var(name).ok()?)));
    set.find(|(_, value)| !value.is_empty())
}
