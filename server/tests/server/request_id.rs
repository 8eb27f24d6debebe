//! R13: every response has its request's id.

use std::collections::HashSet;

use poem::http::Method;

use crate::support::{Key, TestServer};

const PATH: &str = "/api/v1/partners?limit=1";

#[tokio::test]
async fn well_formed_request_id_is_echoed_on_every_kind_of_answer() {
    let server = TestServer::start().await;
    let requests = [
        server.get(Key::MAIN, PATH),
        server.request(Method::GET, PATH),
        server.request(Method::GET, "/nowhere"),
        server.post(Key::MAIN, PATH),
        server.get(Key::MAIN, "/api/v1/partners?limit=0"),
        server.get(Key("exhausted", "all"), PATH),
    ];
    for request in requests {
        let response = request.header("x-request-id", "Az09._-").send().await;
        assert_eq!(response.header("x-request-id"), Some("Az09._-"), "{}", response.status);
        assert!(!response.text.contains("Az09._-"), "it is in the header only");
    }
    for id in ["a", &"x".repeat(128)] {
        let response = server.get(Key::MAIN, PATH).header("x-request-id", id).send().await;
        assert_eq!(response.header("x-request-id"), Some(id));
    }
}

#[tokio::test]
async fn malformed_request_id_is_replaced() {
    let server = TestServer::start().await;
    for id in ["", "a b", "a/b", "a\"b", "{}", "é", &"x".repeat(129)] {
        let response = server.get(Key::MAIN, PATH).header("x-request-id", id).expect(200).await;
        let given = response.header("x-request-id").unwrap();
        assert_ne!(given, id);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
        assert!(given.len() == 26 && given.bytes().all(is_plain), "{given}");
    }
}

#[tokio::test]
async fn requests_without_an_id_get_one_each() {
    let server = TestServer::start().await;
    let mut ids = HashSet::new();
    for _ in 0..20 {
        let response = server.get(Key::MAIN, PATH).expect(200).await;
        ids.insert(response.header("x-request-id").unwrap().to_owned());
    }
    assert_eq!(ids.len(), 20);
}
