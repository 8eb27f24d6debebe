//! R4, R11: bodies: their size, their time, their type, and whether they are JSON.

use std::io;

use futures_util::{StreamExt, stream};
use poem::http::Method;

use crate::support::{Key, TestRequest, TestServer, dataset::*, raw, snapshot};

const LIMIT: usize = 64 * 1024;

fn patch(server: &TestServer) -> TestRequest {
    let request = server.request(Method::PATCH, &format!("/api/v1/partners/{BARE}"));
    request.header("x-api-key", server.key(Key::MAIN))
}

fn declared(server: &TestServer) -> TestRequest {
    patch(server).header("content-type", "application/json")
}

/// `{}` and blanks, of this total length.
fn padded(length: usize) -> Vec<u8> {
    let mut body = b"{}".to_vec();
    body.resize(length, b' ');
    body
}

fn in_chunks(body: Vec<u8>) -> reqwest::Body {
    let chunks: Vec<io::Result<Vec<u8>>> =
        body.chunks(8192).map(|chunk| Ok(chunk.to_vec())).collect();
    reqwest::Body::wrap_stream(stream::iter(chunks))
}

#[tokio::test]
async fn body_of_64_kib_passes_and_one_byte_more_does_not() {
    let server = TestServer::start().await;
    declared(&server).body(padded(LIMIT)).expect(200).await;
    declared(&server).body(in_chunks(padded(LIMIT))).expect(200).await;
    let response = declared(&server).body(padded(LIMIT + 1)).expect(413).await;
    snapshot("update_partner", "payload_too_large", &response);
    assert_eq!(response.header("connection"), Some("close"), "what was not read cannot be skipped");
    let chunked = declared(&server).body(in_chunks(padded(LIMIT + 1))).expect(413).await;
    assert_eq!(chunked.text, response.text);
    let far_beyond = declared(&server).body(in_chunks(padded(LIMIT * 64))).expect(413).await;
    assert_eq!(
        far_beyond.text, response.text,
        "the response is read although most of the body is not"
    );
}

#[tokio::test]
async fn body_that_is_declared_too_large_is_rejected_before_it_arrives() {
    let server = TestServer::start().await;
    let headers = "content-type: application/json\r\ncontent-length: 1000000000\r\n";
    let path = format!("/api/v1/partners/{BARE}");
    let request = raw::head("PATCH", &path, server.key(Key::MAIN), headers);
    let response = raw::exchange(&server, &request).await;
    assert_eq!((response.status.as_u16(), response.code()), (413, "PAYLOAD_TOO_LARGE"));
}

#[tokio::test]
async fn body_that_does_not_arrive_in_time_is_given_up() {
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let begun = stream::iter([Ok::<_, io::Error>("{")]);
    let endless = reqwest::Body::wrap_stream(begun.chain(stream::pending()));
    let response = declared(&server).body(endless).expect(408).await;
    snapshot("update_partner", "body_too_late", &response);
}

#[tokio::test]
async fn body_must_be_declared_as_json() {
    let server = TestServer::start().await;
    let response = patch(&server).body("{}").expect(415).await;
    snapshot("update_partner", "unsupported_media_type", &response);
    let others = [
        "text/plain",
        "application/jsonx",
        "application/problem+json",
        "application/merge-patch+json",
        "application/x-www-form-urlencoded",
        "json",
        "",
        "é",
        "application/json, application/json",
    ];
    for content_type in others {
        let request = patch(&server).header("content-type", content_type);
        assert_eq!(request.body("{}").expect(415).await.text, response.text, "{content_type:?}");
    }
    let twice = declared(&server).header("content-type", "application/json");
    twice.body("{}").expect(415).await;
    for content_type in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json ; x=y",
        "application/json;",
    ] {
        let request = patch(&server).header("content-type", content_type);
        request.body("{}").expect(200).await;
    }
}

#[tokio::test]
async fn body_that_is_no_json_is_rejected_with_the_place() {
    let server = TestServer::start().await;
    let broken: [&[u8]; 12] = [
        b"",
        b" ",
        b"{",
        b"{\"name\": }",
        b"{'name': 'x'}",
        b"{\"name\": \"x\",}",
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b"{\"name\": \"\xff\"}",
        b"{\"name\": \"\\ud800\"}",
        b"{\"name\": \"a\nb\"}",
        b"NaN",
    ];
    for body in broken {
        let response = declared(&server).body(body).expect(400).await;
        assert_eq!(response.code(), "INVALID_JSON", "{}", String::from_utf8_lossy(body));
    }
    let response = declared(&server).body("").expect(400).await;
    snapshot("update_partner", "empty_body", &response);
    let response = declared(&server).body("{\"name\": }").expect(400).await;
    snapshot("update_partner", "broken_json", &response);
}

#[tokio::test]
async fn duplicate_key_is_rejected_at_any_depth() {
    let server = TestServer::start().await;
    let bodies = [
        r#"{"name": "a", "name": "b"}"#,
        r#"{"name": "a", "name": "a"}"#,
        r#"{"name": "a", "na\u006de": "b"}"#,
        r#"{"x": [{"y": 1, "y": 2}]}"#,
    ];
    for body in bodies {
        let response = declared(&server).body(body).expect(400).await;
        assert_eq!(response.code(), "INVALID_JSON", "{body}");
    }
    let response = declared(&server).body(bodies[0]).expect(400).await;
    snapshot("update_partner", "duplicate_key", &response);
    let kept = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(kept.body["data"]["name"], "Bare Minimum Ltd");
}

#[tokio::test]
async fn json_deeper_than_16_levels_is_not_read() {
    let server = TestServer::start().await;
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!("{{\"name\":{open}{close}}}")
    };
    let response = declared(&server).body(nested(16)).expect(422).await;
    assert_eq!(response.issues(), ["body /name WRONG_TYPE"]);
    let response = declared(&server).body(nested(17)).expect(400).await;
    assert_eq!(response.code(), "INVALID_JSON");
    declared(&server).body(nested(30_000)).expect(400).await;
}

#[tokio::test]
async fn body_where_none_is_due_is_ignored_up_to_its_limit() {
    let server = TestServer::start().await;
    for path in
        ["/api/v1/partners", "/api/v1/commission-lines", &format!("/api/v1/payouts/{ONE_LINE}")]
    {
        let plain = server.get(Key::MAIN, path).expect(200).await;
        for body in ["{}", "{broken", "\0"] {
            let response = server.get(Key::MAIN, path).body(body).expect(200).await;
            assert_eq!(response.text, plain.text);
        }
        let typed = server.get(Key::MAIN, path).header("content-type", "text/plain");
        typed.body("x".repeat(LIMIT)).expect(200).await;
        server.get(Key::MAIN, path).body("x".repeat(LIMIT + 1)).expect(413).await;
    }
}

#[tokio::test]
async fn body_that_nobody_wants_leaves_the_connection_to_the_next_request() {
    let server = TestServer::start().await;
    let next = raw::head("GET", "/api/v1/partners", server.key(Key::MAIN), "");
    for (line, status) in [
        ("POST /api/v1/nowhere", 404),
        ("PUT /api/v1/partners", 405),
        ("PATCH /api/v1/partners/x", 401),
    ] {
        let body = "GET / HTTP/1.1";
        let length = body.len();
        let first =
            format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}");
        let answered = raw::everything_answered(&server, &[first.as_bytes(), &next].concat()).await;
        let statuses: Vec<&str> =
            answered.match_indices("HTTP/1.1 ").map(|(at, _)| &answered[at + 9..at + 12]).collect();
        assert_eq!(statuses, [&*status.to_string(), "200"], "{answered}");
    }
}
