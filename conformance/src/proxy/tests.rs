//! The proxy in front of a small server of its own: faithful without a fault, and with one broken
//! in that one way.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, Response, body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::{Fault, Proxy};
use crate::{
    exchange::{headers::ORIGIN, transport::connect},
    faults::{find, find_shown},
    target::Keys,
};

/// Lists the request that the server received: method, path with query, and headers, one a line.
type Seen = Arc<Mutex<Vec<String>>>;

const LINE: &str = r#"{"data":{"id":"cln_1","amount":"12.50","payoutId":null},  "spaced" : true}"#;

async fn respond(request: Request<Incoming>, seen: Seen) -> Response<Full<Bytes>> {
    let mut headers: Vec<String> = request
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    // HTTP gives no meaning to the order of different headers.
    headers.sort();
    let line = format!("{} {}\n{}", request.method(), request.uri(), headers.join("\n"));
    let body = request.into_body().collect().await.unwrap().to_bytes();
    seen.lock().unwrap().push(format!("{line}\n{}", String::from_utf8_lossy(&body)));
    Response::builder()
        .status(203)
        .header("content-type", "application/json")
        .header("set-cookie", "one=1")
        .header("set-cookie", "two=2")
        .header("x-odd", "  kept as it is")
        .header("date", "Thu, 01 Jan 2026 00:00:00 GMT")
        .body(Full::new(LINE.into()))
        .unwrap()
}

/// Starts the server; returns its origin and what it sees.
async fn server() -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let shared = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let seen = Arc::clone(&shared);
            let service = service_fn(move |request| {
                let seen = Arc::clone(&seen);
                async move { Ok::<_, Infallible>(respond(request, seen).await) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(connection);
        }
    });
    (origin, seen)
}

async fn proxy(origin: &str, fault: Option<&'static Fault>) -> Proxy {
    Proxy::start(origin, fault, Keys::default(), connect(Vec::new()).unwrap()).await.unwrap()
}

/// Sends a request; returns status, headers as lines, and body.
async fn send(
    origin: &str,
    method: Method,
    target: &str,
    headers: &[(&str, &str)],
) -> (u16, Vec<String>, String) {
    let mut request = Request::builder().method(method).uri(format!("{origin}{target}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from_static(b"{ \"a\":1 }"))).unwrap();
    let response = connect(Vec::new()).unwrap().request(request).await.unwrap();
    let lines = response
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, lines, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn without_a_fault_request_and_response_pass_unchanged() {
    let (origin, seen) = server().await;
    let proxy = proxy(&origin, None).await;
    let through = format!("http://{}", proxy.address());
    let headers = [("x-api-key", "one"), ("x-api-key", "two"), ("accept", "*/*")];
    for method in [Method::PATCH, Method::HEAD] {
        let target = "/api/v1/partners//%2F?limit=05&limit=&x=%00";
        let direct = send(&origin, method.clone(), target, &headers).await;
        let proxied = send(&through, method, target, &headers).await;
        assert_eq!(direct, proxied);
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen[0], seen[1]);
    }
}

#[tokio::test]
async fn fault_changes_the_one_thing_it_breaks() {
    let (origin, _) = server().await;
    let proxy = proxy(&origin, find("null-payout-id-omitted")).await;
    let through = format!("http://{}", proxy.address());
    let (_, direct, _) = send(&origin, Method::GET, "/", &[]).await;
    let (status, proxied, body) = send(&through, Method::GET, "/", &[]).await;
    assert_eq!(status, 203);
    assert_eq!(body, r#"{"data":{"id":"cln_1","amount":"12.50"},"spaced":true}"#);
    let without_length = |lines: Vec<String>| -> Vec<String> {
        lines.into_iter().filter(|line| !line.starts_with("content-length")).collect()
    };
    assert_eq!(without_length(direct), without_length(proxied));
}

#[tokio::test]
async fn variation_in_chunks_changes_no_byte_of_the_body() {
    let (origin, _) = server().await;
    let proxy = proxy(&origin, find_shown("allowed-chunks")).await;
    let through = format!("http://{}", proxy.address());
    let (_, _, direct) = send(&origin, Method::GET, "/", &[]).await;
    let (_, headers, body) = send(&through, Method::GET, "/", &[]).await;
    assert_eq!(body, direct);
    assert!(headers.contains(&"transfer-encoding: chunked".to_owned()), "{headers:?}");
    assert!(!headers.iter().any(|line| line.starts_with("content-length")), "{headers:?}");
}

#[tokio::test]
async fn named_origin_is_served_and_not_passed_on() {
    let (origin, seen) = server().await;
    let proxy = proxy("http://127.0.0.1:1", None).await;
    let through = format!("http://{}", proxy.address());
    let (status, ..) = send(&through, Method::GET, "/link", &[(ORIGIN, &origin)]).await;
    assert_eq!(status, 203);
    assert!(!seen.lock().unwrap()[0].contains(ORIGIN));
    let (status, _, body) = send(&through, Method::GET, "/link", &[]).await;
    assert_eq!(status, 502);
    assert!(body.contains("http://127.0.0.1:1 did not answer"), "{body}");
}
