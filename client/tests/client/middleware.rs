//! Middlewares, settings, meters and spans surround a request, and none of them shows a secret.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use payout_client::{
    BoxFuture, BuildError, Meter, Meters, Middleware, Next, Operation, RetryPolicy, TransportError,
    reqwest::{
        self, Method,
        header::{HeaderName, HeaderValue},
    },
};

use serde_json::{Value, json};
use tracing_subscriber::fmt::format::FmtSpan;

use crate::{
    downloads::{PDF, statement},
    responses::PAYOUT,
    stub::{KEY, Stub, error, response},
};

/// Records what it sees, and adds a header.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Middleware for Recorder {
    fn handle<'a>(
        &'a self,
        mut request: reqwest::Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<reqwest::Response, TransportError>> {
        Box::pin(async move {
            let trace = HeaderValue::from_static("trace-1");
            request.headers_mut().insert(HeaderName::from_static("x-trace"), trace);
            let (operation, attempt) = (next.operation().unwrap().id(), next.attempt());
            let seen = format!("{request:?}");
            let response = next.run(request).await?;
            let status = response.status().as_u16();
            self.0.lock().unwrap().push(format!("{operation} {attempt} {status} {seen}"));
            Ok(response)
        })
    }
}

/// Changes every request.
struct Changing<F>(F);

impl<F: Fn(&mut reqwest::Request) + Send + Sync + 'static> Middleware for Changing<F> {
    fn handle<'a>(
        &'a self,
        mut request: reqwest::Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<reqwest::Response, TransportError>> {
        (self.0)(&mut request);
        Box::pin(next.run(request))
    }
}

#[tokio::test]
async fn middleware_sees_every_request_and_response_without_the_key() {
    let overloaded = error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null");
    let stub = Stub::in_turn([overloaded, response("200 OK", "", PAYOUT)]).await;
    let recorder = Recorder::default();
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let builder = stub.builder().retries(retries).middleware(recorder.clone());
    builder.build().unwrap().get_payout("pay_1").send().await.unwrap();
    let seen = recorder.0.lock().unwrap().clone();
    assert_eq!(seen.len(), 2);
    for (seen, expected) in seen.iter().zip(["getPayout 1 503 ", "getPayout 2 200 "]) {
        assert!(seen.starts_with(expected) && !seen.contains("x-api-key"), "{seen}");
    }
    for request in stub.requests() {
        assert!(request.contains("x-trace: trace-1"), "{request}");
        assert!(request.contains(&format!("x-api-key: {KEY}")), "{request}");
    }
}

#[tokio::test]
async fn outermost_middleware_is_the_first_one_added() {
    let named = |name| {
        Changing(move |request: &mut reqwest::Request| {
            let way = HeaderName::from_static("x-way");
            request.headers_mut().append(way, HeaderValue::from_static(name));
        })
    };
    let stub = Stub::responding_json(PAYOUT).await;
    let builder = stub.builder().middleware(named("first")).middleware(named("second"));
    builder.build().unwrap().get_payout("pay_1").send().await.unwrap();
    let request = stub.request();
    let way: Vec<&str> = request.lines().filter_map(|line| line.strip_prefix("x-way: ")).collect();
    assert_eq!(way, ["first", "second"]);
}

#[tokio::test]
async fn request_that_a_middleware_leads_elsewhere_carries_no_key() {
    let elsewhere = Stub::responding_json(PAYOUT).await;
    let url: reqwest::Url = elsewhere.base_url.parse().unwrap();
    let astray = Changing(move |request: &mut reqwest::Request| *request.url_mut() = url.clone());
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.builder().middleware(astray).build().unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    assert!(!elsewhere.request().contains("x-api-key"), "{}", elsewhere.request());
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn headers_that_the_client_sets_are_refused() {
    let stub = Stub::responding_json(PAYOUT).await;
    for name in ["idempotency-key", "api-version", "content-type", "host", "x-api-key"] {
        let name = HeaderName::from_static(name);
        let error = stub.client().with_header(name, HeaderValue::from_static("1")).unwrap_err();
        assert!(matches!(error, BuildError::ReservedHeader { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn request_of_any_path_has_key_version_and_retries() {
    let overloaded = || error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null");
    let ended = response("204 No Content", "", "");
    let stub =
        Stub::in_turn([overloaded(), ended.clone(), overloaded(), ended, overloaded()]).await;
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let client = stub.builder().retries(retries).build().unwrap();
    let path = "/api/v1/audit-events";
    let read = client.request(Method::GET, path).query("after", "a b&c").send::<Value>().await;
    assert_eq!(*read.unwrap(), Value::Null);
    let note = || client.request(Method::POST, path).json(&json!({ "note": 1 }));
    note().idempotency_key("note-1").send::<Value>().await.unwrap();
    let error = note().send::<Value>().await.unwrap_err();
    assert_eq!(error.status().unwrap(), 503, "a POST without a key is not repeated");
    let requests = stub.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests[0].starts_with("GET /api/v1/audit-events?after=a+b%26c HTTP/1.1"));
    assert!(
        requests[2].contains("idempotency-key: note-1\r\n")
            && requests[2].ends_with("{\"note\":1}")
    );
    for request in requests {
        assert!(request.contains(&format!("x-api-key: {KEY}\r\n")), "{request}");
        assert!(request.contains("api-version: 2026-05-20\r\n"), "{request}");
    }
    let error = client.request(Method::GET, "/api/../x").send::<Value>().await.unwrap_err();
    assert!(!error.was_sent(), "{error:?}");
}

#[tokio::test]
async fn pinned_version_and_headers_of_a_clone_are_sent_by_it_alone() {
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.builder().api_version("2027-01-01").user_agent("billing/1").build().unwrap();
    let name = HeaderName::from_static("x-request-id");
    let traced = client.with_header(name, HeaderValue::from_static("order-1")).unwrap();
    traced.get_payout("pay_1").send().await.unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    let requests = stub.requests();
    assert!(requests[0].contains("x-request-id: order-1\r\n"), "{}", requests[0]);
    assert!(!requests[1].contains("x-request-id"), "{}", requests[1]);
    for request in requests {
        let versions = request.lines().filter(|line| line.starts_with("api-version")).count();
        assert_eq!(versions, 1, "{request}");
        assert!(request.contains("api-version: 2027-01-01\r\n"), "{request}");
        assert!(request.contains("user-agent: billing/1\r\n"), "{request}");
    }
}

#[tokio::test]
async fn meters_are_those_of_the_response_and_the_client_keeps_the_last() {
    let rate = |remaining: u32| {
        format!(
            "x-ratelimit-limit-minute: 120\r\nx-ratelimit-remaining-minute: {remaining}\r\n\
             x-service-credits-limit-month: 10000\r\n\
             x-service-credits-remaining-month: {remaining}\r\n"
        )
    };
    let stub = Stub::in_turn([
        response("200 OK", &rate(119), PAYOUT),
        response("404 Not Found", &rate(118), r#"{"error":{"code":"NOT_FOUND","message":"No."}}"#),
    ])
    .await;
    let client = stub.client();
    assert_eq!(client.meters(), Meters::default());
    let response = client.get_payout("pay_1").send().await.unwrap();
    assert_eq!(response.meters().credits.map(|credits: Meter| credits.limit), Some(10_000));
    let error = client.get_payout("pay_2").send().await.unwrap_err();
    assert_eq!(error.meters().rate.unwrap().remaining, 118);
    assert_eq!(client.clone().meters(), error.meters());
}

/// Collects the lines of a subscriber.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn spans_have_operation_status_and_request_id_and_no_secret() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For all threads: one without a subscriber would switch off the spans that it is the first to
    // reach. The other tests have the same key, so their spans are checked too.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    tracing::callsite::rebuild_interest_cache();

    let ends = "deprecation: @1790000000\r\nsunset: Tue, 01 Jun 2027 00:00:00 GMT\r\n";
    let old = Stub::responding("200 OK", ends, PAYOUT).await.client();
    for _ in 0..2 {
        old.get_payout("pay_1").send().await.unwrap();
    }
    let files = Stub::responding("200 OK", "", PDF).await;
    let body = json!({ "data": statement(&files.base_url) });
    let api = Stub::responding_json(body.to_string()).await;
    let client = api.client();
    let generated = client.generate_statement("pay_1").send().await.unwrap().into_inner().data;
    client.download_statement(&generated).send().await.unwrap().bytes().await.unwrap();

    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let span = r#"call{operation="generateStatement" status=200 request_id="r-1"}"#;
    assert!(text.contains(span), "{text}");
    let warnings: Vec<&str> = text.lines().filter(|line| line.contains(" WARN ")).collect();
    assert_eq!(warnings.len(), 1, "once for a client: {warnings:?}");
    assert!(warnings[0].contains("until=\"Tue, 01 Jun 2027"), "{warnings:?}");
    let signature = generated.download_url.as_str().split_once("signature=").unwrap().1;
    for secret in [KEY, signature] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn every_operation_has_its_place_in_the_document() {
    assert_eq!(Operation::GetPayout.path(), "/api/v1/payouts/{id}");
    let ids: std::collections::BTreeSet<&str> =
        Operation::ALL.iter().map(|operation| operation.id()).collect();
    assert_eq!(ids.len(), Operation::ALL.len());
}
