//! Spans of requests, sent to a collector on this machine. The suite is no collector.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Child,
    sync::mpsc,
    thread,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::{ResourceSpans, Span, span::SpanKind},
};
use prost::Message as _;

use crate::{
    postgres::signal,
    serve::{ends_with_zero, start},
    support::Deployment,
};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Takes spans, or answers each batch with another status.
struct Collector {
    url: String,
    received: mpsc::Receiver<(String, Vec<u8>)>,
}

impl Collector {
    fn answering(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, received) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                // A connection that ends early is of a server that ended.
                let Some(request) = read_request(&mut stream) else { continue };
                let answer =
                    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(answer.as_bytes());
                if sender.send(request).is_err() {
                    return;
                }
            }
        });
        Self { url, received }
    }

    /// The spans of the next batch, with the resource that they belong to.
    fn spans(&self) -> (String, ResourceSpans) {
        let (head, body) = self.received.recv().expect("a batch");
        let mut batch = ExportTraceServiceRequest::decode(&*body).expect("protobuf");
        (head, batch.resource_spans.remove(0))
    }
}

fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("text").to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.expect("a length").parse().expect("a number")];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// A server that sends its spans to this collector, and its addresses.
fn serve(deployment: &Deployment, endpoint: &str) -> (Child, String, String) {
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    // One batch, when the server stops.
    command.env("OTEL_BSP_SCHEDULE_DELAY", "3600000");
    let (server, api, health, _) = start(&mut command);
    (server, api, health)
}

async fn get(url: &str, headers: &[(&str, &str)]) -> String {
    // reqwest is built with the server's TLS, which panics unless its cryptography is set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut request = reqwest::Client::new().get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().text().await.unwrap()
}

/// Stops a server; returns the lines of its log.
fn stopped(server: Child) -> Vec<serde_json::Value> {
    signal("TERM", &[server.id()]);
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let log = String::from_utf8(output.stderr).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn attributes(attributes: &[KeyValue]) -> Vec<(&str, String)> {
    let text = |attribute: &KeyValue| match attribute.value.clone().unwrap().value.unwrap() {
        Value::StringValue(text) => text,
        Value::IntValue(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|attribute| (attribute.key.as_str(), text(attribute))).collect()
}

#[tokio::test]
async fn span_of_a_request_has_its_trace_and_what_its_log_line_has() {
    let deployment = Deployment::create().await;
    let organization = deployment.run(&["organizations", "create", "--name", "Secret Ltd"]);
    let organization = organization.trim();
    let create =
        ["keys", "create", "--organization", organization, "--name", "ERP", "--all-scopes"];
    let key = deployment.run(&create);
    let collector = Collector::answering("200 OK");
    let (server, api, _) = serve(&deployment, &collector.url);
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let headers = [("x-api-key", key.trim()), ("traceparent", parent.as_str())];
    get(&format!("{api}/partners?limit=secret"), &headers).await;
    get(&format!("{api}/nowhere"), &[]).await;
    let unsampled = format!("00-{TRACE}-{PARENT}-00");
    get(&format!("{api}/unsampled"), &[("traceparent", &unsampled)]).await;
    let log = stopped(server);
    let (head, sent) = collector.spans();
    assert!(head.starts_with("post /v1/traces "), "{head}");
    let resource = sent.resource.unwrap();
    assert!(attributes(&resource.attributes).contains(&("service.name", "payout-server".into())));
    let [listed, unknown]: [Span; 2] = sent.scope_spans[0].spans.clone().try_into().unwrap();

    assert_eq!((listed.name.as_str(), listed.kind()), ("listPartners", SpanKind::Server));
    assert_eq!(
        (hex::encode(&listed.trace_id), hex::encode(&listed.parent_span_id)),
        (TRACE.to_owned(), PARENT.to_owned())
    );
    let line = log.iter().find(|line| line["operation"] == "listPartners").unwrap();
    let text = |name: &str| line[name].as_str().unwrap().to_owned();
    assert_eq!((text("trace_id"), text("parent_id")), (TRACE.into(), PARENT.into()));
    assert_eq!(text("span_id"), hex::encode(&listed.span_id));
    assert_eq!(
        attributes(&listed.attributes),
        [
            ("http.request.method", "GET".to_owned()),
            ("url.path", "/api/v1/partners".to_owned()),
            ("http.response.status_code", "422".to_owned()),
            ("payout.request_id", text("request_id")),
            ("payout.organization", organization.to_owned()),
            ("payout.key_id", text("key_id")),
            ("payout.code", text("code")),
        ]
    );
    let sent = format!("{listed:?}");
    assert!(!sent.to_lowercase().contains("secret") && !sent.contains(key.trim()), "{sent}");

    // A request without a trace begins one, which its line shows.
    assert!(unknown.parent_span_id.is_empty());
    let line = log.iter().find(|line| line["path"] == "/api/v1/nowhere").unwrap();
    assert_eq!(line["trace_id"], hex::encode(&unknown.trace_id));
    assert_eq!(line["span_id"], hex::encode(&unknown.span_id));
    let line = log.iter().find(|line| line["path"] == "/api/v1/unsampled").unwrap();
    assert_eq!((&line["trace_id"], line.get("span_id")), (&TRACE.into(), None));
}

#[tokio::test]
async fn spans_that_the_collector_rejects_are_counted_and_logged() {
    let deployment = Deployment::create().await;
    let collector = Collector::answering("400 Bad Request");
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    command.env("OTEL_BSP_SCHEDULE_DELAY", "1");
    let (server, api, health, _output) = start(&mut command);
    let unknown = get(&format!("{api}/nowhere"), &[]).await;
    assert!(unknown.contains("NOT_FOUND"), "{unknown}");
    collector.spans();
    let metrics = get(&health.replace("readyz", "metrics"), &[]).await;
    assert!(metrics.contains("payout_spans_total 1\n"), "{metrics}");
    assert!(metrics.contains("payout_spans_exported_total 0\n"), "{metrics}");
    let log = stopped(server);
    let lost =
        log.iter().find(|line| line["message"].as_str().unwrap_or_default().contains("not taken"));
    let lost = lost.expect("a line about lost spans");
    assert_eq!((&lost["level"], &lost["spans"]), (&"WARN".into(), &1.into()));
    assert!(lost["error"].as_str().unwrap().contains("400"), "{lost}");
}

#[tokio::test]
async fn collector_that_never_answers_holds_up_neither_requests_nor_the_end() {
    let deployment = Deployment::create().await;
    // The system accepts its connections, and nobody reads them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (server, api, _) = serve(&deployment, &format!("http://{}", silent.local_addr().unwrap()));
    for _ in 0..3 {
        assert!(get(&format!("{api}/partners"), &[]).await.contains("UNAUTHORIZED"));
    }
    let log = stopped(server);
    let late = |line: &&serde_json::Value| line["message"] == "the last spans were not all sent";
    assert!(log.iter().any(|line| late(&line)), "{log:#?}");
}

#[tokio::test]
async fn no_spans_are_sent_where_the_environment_switches_them_off() {
    let deployment = Deployment::create().await;
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    // Nobody listens there, which would be a line of the log.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    command.env("OTEL_SDK_DISABLED", "true");
    let (server, api, health, _output) = start(&mut command);
    get(&format!("{api}/partners"), &[]).await;
    assert!(!get(&health.replace("readyz", "metrics"), &[]).await.contains("payout_spans"));
    ends_with_zero(server);
}

#[tokio::test]
async fn protocol_that_is_not_built_in_is_rejected_with_the_remedy() {
    let deployment = Deployment::create().await;
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
    command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("OTEL_EXPORTER_OTLP_PROTOCOL is grpc"), "{error}");
    assert!(error.contains("such as http://127.0.0.1:4318"), "{error}");
}
