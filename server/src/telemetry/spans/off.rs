//! Stands in for the spans of the feature `otlp`, which this program was built without.

use super::{ENDPOINTS, SpanIds, SpansError, first_set};
use crate::telemetry::{Line, Metrics, TraceParent};

#[derive(Clone, Default)]
pub struct Spans;

pub(crate) struct RequestSpan;

impl Spans {
    /// Warns where the environment asks for spans.
    #[expect(clippy::unnecessary_wraps, reason = "the feature's function can fail")]
    pub(crate) fn from_environment(_: &Metrics) -> Result<Self, SpansError> {
        if let Some((name, _)) = first_set(&ENDPOINTS) {
            tracing::warn!(
                name,
                "no spans are sent: this program was built without the feature; build it with \
                 cargo build --release -p payout-server --features otlp, or unset the variable"
            );
        }
        Ok(Self)
    }

    pub(crate) fn begin(&self, _: Option<&TraceParent>) -> RequestSpan {
        RequestSpan
    }

    pub(crate) async fn end(self) {}
}

impl RequestSpan {
    pub(crate) fn ids(&self) -> Option<SpanIds> {
        None
    }

    pub(crate) fn is_sent(&self) -> bool {
        false
    }

    pub(crate) fn end(self, _: &Line) {}
}
