//! The proxy in front of a small server of its own: faithful without a fault, and with a
//! variation as it is described.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{HeaderMap, Method, StatusCode, header::HeaderName};
use parking_lot::Mutex;

use super::{Fault, Proxy, fault::Exchange};
use crate::{
    exchange::{Request, Response, transport::connect},
    faults::find_shown,
    target::Keys,
};

/// The requests that the server received.
type Seen = Arc<Mutex<Vec<Request>>>;

const LINE: &str = r#"{"data":{"id":"cln_1","amount":"12.50","payoutId":null},  "spaced" : true}"#;

/// A server that answers each request alike; its address, and what it sees.
async fn server() -> (Proxy, String, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let respond: Box<Exchange> = Box::new(move |request, _| {
        kept.lock().push(request);
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/json"),
            ("set-cookie", "one=1"),
            ("set-cookie", "two=2"),
            ("x-odd", "  kept as it is"),
            ("date", "Thu, 01 Jan 2026 00:00:00 GMT"),
        ] {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let status = StatusCode::NON_AUTHORITATIVE_INFORMATION;
        Box::pin(std::future::ready(Response::new(status, headers, LINE)))
    });
    let server = proxy("", Some(Fault::server(respond))).await;
    let origin = format!("http://{}", server.address());
    (server, origin, seen)
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
    let mut request = hyper::Request::builder().method(method).uri(format!("{origin}{target}"));
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
    let (_server, origin, seen) = server().await;
    let proxy = proxy(&origin, None).await;
    let through = format!("http://{}", proxy.address());
    let headers = [("x-api-key", "one"), ("x-api-key", "two"), ("accept", "*/*")];
    for method in [Method::PATCH, Method::HEAD] {
        let target = "/api/v1/partners//%2F?limit=05&limit=&x=%00";
        let direct = send(&origin, method.clone(), target, &headers).await;
        let proxied = send(&through, method, target, &headers).await;
        assert_eq!(direct, proxied);
        let seen = std::mem::take(&mut *seen.lock());
        assert_eq!(seen[0], seen[1]);
    }
}

#[tokio::test]
async fn variation_in_chunks_changes_no_byte_of_the_body() {
    let (_server, origin, _) = server().await;
    let proxy = proxy(&origin, find_shown("allowed-chunks")).await;
    let through = format!("http://{}", proxy.address());
    let (_, _, direct) = send(&origin, Method::GET, "/", &[]).await;
    let (_, headers, body) = send(&through, Method::GET, "/", &[]).await;
    assert_eq!(body, direct);
    assert!(headers.contains(&"transfer-encoding: chunked".to_owned()), "{headers:?}");
    assert!(!headers.iter().any(|line| line.starts_with("content-length")), "{headers:?}");
}
