//! Spans of requests, sent in batches by a thread of the OpenTelemetry SDK. A request only puts its
//! span into a queue; where that is full, the span is dropped. The standard environment variables
//! set the rest.

mod client;

use std::{sync::Arc, time::Duration};

use opentelemetry::{
    Context, Key, KeyValue, SpanId, TraceFlags, TraceId,
    trace::{
        Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, TraceState,
        TracerProvider as _,
    },
};
use opentelemetry_otlp::{Protocol, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{
        BatchSpanProcessor, SdkTracer, SdkTracerProvider, Span, SpanData, SpanExporter,
        SpanProcessor,
    },
};
use prometheus_client::metrics::counter::Counter;

use self::client::Client;
use super::{ENDPOINTS, SpanIds, SpansError, first_set};
use crate::telemetry::{Line, Metrics, TraceParent};

/// How long a server that stops waits for the collector to take the last spans.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);
const SERVICE_NAME: &str = "payout-server";
const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
/// The one protocol that is built in.
const PROTOCOL: &str = "http/protobuf";

/// Makes the spans of one server; clones share them. The default makes none.
#[derive(Clone, Default)]
pub struct Spans(Option<(SdkTracer, SdkTracerProvider)>);

/// The span of a request; one that is dropped before its end has no attributes.
pub(crate) struct RequestSpan {
    /// `None` where spans are off, or this one is not sampled.
    span: Option<Span>,
    has_parent: bool,
}

impl Spans {
    /// Sends spans if a variable names a collector; counts them in `metrics`.
    pub(crate) fn from_environment(metrics: &Metrics) -> Result<Self, SpansError> {
        let is = |name: &str, value: &str| {
            first_set(&[name]).is_some_and(|(_, set)| set.eq_ignore_ascii_case(value))
        };
        let is_off = is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none");
        let Some((endpoint, _)) = first_set(&ENDPOINTS).filter(|_| !is_off) else {
            return Ok(Self(None));
        };
        if let Some((name, protocol)) = first_set(&PROTOCOLS).filter(|(_, set)| set != PROTOCOL) {
            return Err(SpansError(format!(
                "{name} is {protocol}, and spans can only be sent by {PROTOCOL}: unset it, and \
                 name the collector's port for HTTP in {endpoint}, such as http://127.0.0.1:4318"
            )));
        }
        let unusable = |why: &dyn std::fmt::Display| {
            SpansError(format!(
                "spans cannot be sent as the variables OTEL_EXPORTER_OTLP_… ask: {why}. Change \
                 them, or unset {endpoint}"
            ))
        };
        let client = Client::new().map_err(|error| unusable(&error))?;
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(client.clone());
        let exporter = exporter.build().map_err(|error| unusable(&error))?;
        let (ended, sent) = (Counter::default(), Counter::default());
        metrics.register("spans", "Spans of requests that have ended", ended.clone());
        metrics.register("spans_exported", "Spans that the collector has taken", sent.clone());
        let exporter = Counted { exporter, sent, client };
        let batches = BatchSpanProcessor::builder(exporter).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource())
            .with_span_processor(Counting { batches, ended })
            .build();
        Ok(Self(Some((provider.tracer(SERVICE_NAME), provider))))
    }

    /// Begins the span of a request, within the caller's trace or within a new one.
    pub(crate) fn begin(&self, parent: Option<&TraceParent>) -> RequestSpan {
        let remote = parent.and_then(remote_context);
        let has_parent = remote.is_some();
        let span = self.0.as_ref().map(|(tracer, _)| {
            let context = Context::new();
            let context = match remote {
                Some(remote) => context.with_remote_span_context(remote),
                None => context,
            };
            SpanBuilder::from_name("request")
                .with_kind(SpanKind::Server)
                .start_with_context(tracer, &context)
        });
        RequestSpan { span: span.filter(|span| span.is_recording()), has_parent }
    }

    /// Sends what is left, within [`FLUSH_LIMIT`].
    pub(crate) async fn end(self) {
        let Some((_, provider)) = self.0 else { return };
        let ended =
            tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH_LIMIT));
        // A panic of the SDK has been printed.
        if let Ok(Err(error)) = ended.await {
            tracing::warn!(%error, "the last spans were not all sent");
        }
    }
}

impl RequestSpan {
    pub(crate) fn ids(&self) -> Option<SpanIds> {
        let context = self.span.as_ref()?.span_context();
        let trace_id = (!self.has_parent).then(|| context.trace_id().to_string().into());
        Some(SpanIds { trace_id, span_id: context.span_id().to_string().into() })
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.span.is_some()
    }

    /// Ends the span with what the request's log line has, but for its client's address and the
    /// text of its error.
    pub(crate) fn end(self, line: &Line) {
        let Some(mut span) = self.span else { return };
        span.update_name(line.operation);
        let text = |value: &Arc<str>| value.to_string();
        span.set_attributes([
            KeyValue::new("http.request.method", line.method.to_string()),
            KeyValue::new("url.path", line.path.clone()),
            KeyValue::new("http.response.status_code", i64::from(line.status)),
            KeyValue::new("payout.request_id", text(&line.context.request_id)),
        ]);
        let optional = [
            ("payout.organization", line.context.organization().map(ToOwned::to_owned)),
            ("payout.key_id", line.key_id.as_ref().map(text)),
            ("payout.code", line.code.map(ToOwned::to_owned)),
        ];
        for (name, value) in optional {
            span.set_attributes(value.map(|value| KeyValue::new(name, value)));
        }
        if let Some(failure) = &line.failure {
            let cause = failure.cause.map_or_else(|| line.status.to_string(), ToOwned::to_owned);
            span.set_attribute(KeyValue::new("error.type", cause));
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// The caller's span; what it says of sampling is followed.
fn remote_context(parent: &TraceParent) -> Option<SpanContext> {
    let trace = TraceId::from_hex(&parent.trace_id).ok()?;
    let span = SpanId::from_hex(&parent.parent_id).ok()?;
    let flags = TraceFlags::new(parent.flags);
    Some(SpanContext::new(trace, span, flags, true, TraceState::default()))
}

/// The server, as OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name it.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let named = Resource::builder().build().get(&Key::new("service.name"));
    let is_named = named.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let builder = Resource::builder().with_attribute(version);
    if is_named { builder.build() } else { builder.with_service_name(SERVICE_NAME).build() }
}

/// Counts what requests hand over, so that lost spans show as a difference.
#[derive(Debug)]
struct Counting {
    batches: BatchSpanProcessor,
    ended: Counter,
}

impl SpanProcessor for Counting {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        self.ended.inc();
        self.batches.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

/// Counts what the collector takes, and logs what it does not.
#[derive(Debug)]
struct Counted {
    exporter: opentelemetry_otlp::SpanExporter,
    sent: Counter,
    client: Client,
}

impl SpanExporter for Counted {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let exported = self.exporter.export(batch).await;
        match &exported {
            Ok(()) => _ = self.sent.inc_by(spans),
            Err(error) => {
                let cause = self.client.take_failure();
                tracing::warn!(spans, %error, cause, "spans were not taken by the collector");
            }
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
