//! Each request has a `traceparent`: the trace of its call, and an id of its own.

use std::time::Duration;

use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_sdk::trace::SdkTracerProvider;
use payout_client::{
    ClientBuilder, InvalidTraceContext, RetryPolicy, TraceContext,
    reqwest::header::{HeaderName, HeaderValue},
};
use tracing::{Instrument as _, instrument::WithSubscriber as _};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::{
    responses::PAYOUT,
    stub::{Stub, error, response},
};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const HEADER: HeaderName = HeaderName::from_static("traceparent");

/// A server that rejects the first request of a call, and its address with short pauses.
async fn stumbling() -> (Stub, ClientBuilder) {
    let overloaded = error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null");
    let stub = Stub::in_turn([overloaded, response("200 OK", "", PAYOUT)]).await;
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let builder = stub.builder().retries(retries);
    (stub, builder)
}

/// The traces, ids and flags that a server has received.
fn received(stub: &Stub) -> Vec<[String; 3]> {
    let requests = stub.requests();
    let headers = requests.iter().map(|request| {
        let header = request.lines().find_map(|line| line.strip_prefix("traceparent: 00-"));
        let header = header.unwrap_or_else(|| panic!("no trace in {request}"));
        let parts: Vec<String> = header.split('-').map(ToOwned::to_owned).collect();
        parts.try_into().expect("trace, id and flags")
    });
    headers.collect()
}

fn trace(flags: &str) -> TraceContext {
    format!("00-{TRACE}-b7ad6b7169203331-{flags}").parse().unwrap()
}

#[tokio::test]
async fn repetition_has_the_trace_of_its_call_and_an_id_of_its_own() {
    let (stub, builder) = stumbling().await;
    let client = builder.build().unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    let [first, second] = received(&stub).try_into().expect("two requests");
    assert_eq!((&first[0], first[2].as_str()), (&second[0], "01"));
    assert_ne!(first[1], second[1]);
    let (other, builder) = stumbling().await;
    builder.build().unwrap().get_payout("pay_1").send().await.unwrap();
    assert_ne!(received(&other)[0][0], first[0], "another call has another trace");
}

#[tokio::test]
async fn trace_of_the_current_work_is_sent_with_its_flags() {
    let (stub, builder) = stumbling().await;
    let client = builder.trace_context(|| Some(trace("00"))).build().unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    let [first, second] = received(&stub).try_into().expect("two requests");
    assert_eq!([&first[0], &first[2]], [TRACE, "00"]);
    assert_eq!([&second[0], &second[2]], [TRACE, "00"]);
    assert_ne!(first[1], second[1]);
}

#[tokio::test]
async fn header_of_the_caller_names_the_trace_and_a_malformed_one_is_sent_as_it_is() {
    let other = "11111111111111111111111111111111-2222222222222222-01";
    let header = HeaderValue::from_str(&format!("00-{other}")).unwrap();
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.builder().trace_context(|| Some(trace("01"))).build().unwrap();
    let with = client.with_header(HEADER, header).unwrap();
    with.get_payout("pay_1").send().await.unwrap();
    assert_eq!(received(&stub)[0][0], other[..32]);
    let own = client.with_header(HEADER, HeaderValue::from_static("mine")).unwrap();
    own.get_payout("pay_1").send().await.unwrap();
    assert!(stub.requests()[1].contains("traceparent: mine\r\n"), "{:?}", stub.requests());
}

#[tokio::test]
async fn each_request_is_a_span_of_the_current_trace() {
    let provider = SdkTracerProvider::default();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer);
    let (stub, builder) = stumbling().await;
    let client = builder.build().unwrap();
    async {
        let span = tracing::info_span!("job");
        let job = span.context().span().span_context().clone();
        client.get_payout("pay_1").send().instrument(span).await.unwrap();
        let [first, second] = received(&stub).try_into().expect("two requests");
        assert_eq!([&first[0], &second[0]], [&job.trace_id().to_string(); 2]);
        assert_ne!(first[1], second[1]);
        assert_ne!(first[1], job.span_id().to_string(), "the request has a span of its own");
    }
    .with_subscriber(subscriber)
    .await;
}

#[test]
fn malformed_trace_is_rejected_with_an_example() {
    assert_eq!(trace("01").trace_id(), TRACE);
    let later = format!("cc-{TRACE}-b7ad6b7169203331-01-what-comes-later");
    assert_eq!(later.parse(), Ok(trace("01")));
    for malformed in [
        "",
        "01",
        &format!("00-{TRACE}-b7ad6b7169203331"),
        &format!("00-{TRACE}-b7ad6b7169203331-01-more"),
        &format!("ff-{TRACE}-b7ad6b7169203331-01"),
        &format!("00-{}-b7ad6b7169203331-01", "0".repeat(32)),
        &format!("00-{TRACE}-0000000000000000-01"),
        &format!("00-{}-b7ad6b7169203331-01", TRACE.to_uppercase()),
        &format!("00-+{}-b7ad6b7169203331-01", &TRACE[1..]),
    ] {
        let read: Result<TraceContext, InvalidTraceContext> = malformed.parse();
        assert_eq!(read, Err(InvalidTraceContext), "{malformed}");
    }
    assert!(InvalidTraceContext.to_string().contains("such as 00-0af7651916cd43dd"));
}
