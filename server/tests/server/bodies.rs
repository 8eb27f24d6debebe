//! R4, R11: bodies: their size, their time, their type, and whether they are JSON.

use std::io;

use futures_util::{StreamExt, stream};
use poem::http::Method;

use crate::support::{Ask, Key, TestServer, dataset::*, raw, snapshot};

const LIMIT: usize = 64 * 1024;

fn patch(server: &TestServer) -> Ask {
    let ask = server.ask(Method::PATCH, &format!("/api/v1/partners/{BARE}"));
    ask.header("x-api-key", server.key(Key::MAIN))
}

fn declared(server: &TestServer) -> Ask {
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
    declared(&server)
        .body(in_chunks(padded(LIMIT)))
        .expect(200)
        .await;
    let answer = declared(&server).body(padded(LIMIT + 1)).expect(413).await;
    snapshot("update_partner", "payload_too_large", &answer);
    assert_eq!(
        answer.header("connection"),
        Some("close"),
        "what was not read cannot be skipped"
    );
    let chunked = declared(&server)
        .body(in_chunks(padded(LIMIT + 1)))
        .expect(413)
        .await;
    assert_eq!(chunked.text, answer.text);
    let far_beyond = declared(&server)
        .body(in_chunks(padded(LIMIT * 64)))
        .expect(413)
        .await;
    assert_eq!(
        far_beyond.text, answer.text,
        "the answer is read although most of the body is not"
    );
}

#[tokio::test]
async fn body_that_is_declared_too_large_is_refused_before_it_arrives() {
    let server = TestServer::start().await;
    let headers = "content-type: application/json\r\ncontent-length: 1000000000\r\n";
    let path = format!("/api/v1/partners/{BARE}");
    let request = raw::head("PATCH", &path, server.key(Key::MAIN), headers);
    let answer = raw::exchange(&server, &request).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code()),
        (413, "PAYLOAD_TOO_LARGE")
    );
}

#[tokio::test]
async fn body_that_does_not_arrive_in_time_is_given_up() {
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let begun = stream::iter([Ok::<_, io::Error>("{")]);
    let endless = reqwest::Body::wrap_stream(begun.chain(stream::pending()));
    let answer = declared(&server).body(endless).expect(408).await;
    snapshot("update_partner", "body_too_late", &answer);
}

#[tokio::test]
async fn body_must_be_declared_as_json() {
    let server = TestServer::start().await;
    let answer = patch(&server).body("{}").expect(415).await;
    snapshot("update_partner", "unsupported_media_type", &answer);
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
        let ask = patch(&server).header("content-type", content_type);
        assert_eq!(
            ask.body("{}").expect(415).await.text,
            answer.text,
            "{content_type:?}"
        );
    }
    let twice = declared(&server).header("content-type", "application/json");
    twice.body("{}").expect(415).await;
    for content_type in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json ; x=y",
        "application/json;",
    ] {
        let ask = patch(&server).header("content-type", content_type);
        ask.body("{}").expect(200).await;
    }
}

#[tokio::test]
async fn body_that_is_no_json_is_refused_with_the_place() {
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
        let answer = declared(&server).body(body).expect(400).await;
        assert_eq!(
            answer.code(),
            "INVALID_JSON",
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    let answer = declared(&server).body("").expect(400).await;
    snapshot("update_partner", "empty_body", &answer);
    let answer = declared(&server).body("{\"name\": }").expect(400).await;
    snapshot("update_partner", "broken_json", &answer);
}

#[tokio::test]
async fn key_that_stands_twice_is_refused_wherever_it_stands() {
    let server = TestServer::start().await;
    let bodies = [
        r#"{"name": "a", "name": "b"}"#,
        r#"{"name": "a", "name": "a"}"#,
        r#"{"name": "a", "na\u006de": "b"}"#,
        r#"{"x": [{"y": 1, "y": 2}]}"#,
    ];
    for body in bodies {
        let answer = declared(&server).body(body).expect(400).await;
        assert_eq!(answer.code(), "INVALID_JSON", "{body}");
    }
    let answer = declared(&server).body(bodies[0]).expect(400).await;
    snapshot("update_partner", "duplicate_key", &answer);
    let kept = server
        .get(Key::MAIN, &format!("/api/v1/partners/{BARE}"))
        .expect(200)
        .await;
    assert_eq!(kept.body["data"]["name"], "Bare Minimum Ltd");
}

#[tokio::test]
async fn json_deeper_than_16_levels_is_not_read() {
    let server = TestServer::start().await;
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!("{{\"name\":{open}{close}}}")
    };
    let answer = declared(&server).body(nested(16)).expect(422).await;
    assert_eq!(answer.issues(), ["body /name WRONG_TYPE"]);
    let answer = declared(&server).body(nested(17)).expect(400).await;
    assert_eq!(answer.code(), "INVALID_JSON");
    declared(&server).body(nested(30_000)).expect(400).await;
}

#[tokio::test]
async fn body_where_none_is_due_is_ignored_up_to_its_limit() {
    let server = TestServer::start().await;
    for path in [
        "/api/v1/partners",
        "/api/v1/commission-lines",
        &format!("/api/v1/payouts/{ONE_LINE}"),
    ] {
        let plain = server.get(Key::MAIN, path).expect(200).await;
        for body in ["{}", "{broken", "\0"] {
            let answer = server.get(Key::MAIN, path).body(body).expect(200).await;
            assert_eq!(answer.text, plain.text);
        }
        let typed = server
            .get(Key::MAIN, path)
            .header("content-type", "text/plain");
        typed.body("x".repeat(LIMIT)).expect(200).await;
        server
            .get(Key::MAIN, path)
            .body("x".repeat(LIMIT + 1))
            .expect(413)
            .await;
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
        let statuses: Vec<&str> = answered
            .match_indices("HTTP/1.1 ")
            .map(|(at, _)| &answered[at + 9..at + 12])
            .collect();
        assert_eq!(statuses, [&*status.to_string(), "200"], "{answered}");
    }
}
