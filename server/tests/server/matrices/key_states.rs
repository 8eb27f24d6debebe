//! §5, A1 and A3: every operation with every state and form of a key. All rejections have one code.

use payout_server::gate::{ApiKey, Environment};

use super::{
    document::{DOCUMENT, is_documented},
    fixtures::{fixture, request},
};
use crate::support::{Key, TestServer};

/// A form of the header, or its absence.
struct Sent {
    name: &'static str,
    headers: Vec<(&'static str, Vec<u8>)>,
    query: String,
}

#[tokio::test]
async fn only_a_valid_key_sent_once_in_its_header_passes() {
    let server = TestServer::start().await;
    for operation in DOCUMENT.operations() {
        let fixture = fixture(operation);
        let valid =
            request(&server, operation, fixture.path).header("x-api-key", server.key(Key::MAIN));
        valid.expect(fixture.admitted).await;
        for sent in rejected(&server) {
            let path = format!("{}{}", fixture.path, sent.query);
            let mut request = request(&server, operation, &path);
            for (name, value) in sent.headers {
                request = request.header(name, value);
            }
            let response = request.send().await;
            let what = format!("{}, {}: {}", operation.id, sent.name, response.text);
            assert_eq!(response.status, 401, "{what}");
            assert_eq!(response.code(), "UNAUTHORIZED", "{what}");
            assert!(!response.headers.contains_key("x-service-credits-limit-month"), "{what}");
            is_documented(&response, &operation.id).unwrap();
        }
    }
}

#[tokio::test]
async fn only_the_holder_of_a_dead_key_learns_that_it_was_one() {
    let server = TestServer::start().await;
    let message = async |key: &str| {
        let response = request(&server, &DOCUMENT.operations()[0], "/api/v1/partners")
            .header("x-api-key", key);
        let response = response.expect(401).await;
        response.body["error"]["message"].as_str().unwrap().to_owned()
    };
    let ended_at = "2026-01-31T12:00:00.000Z";
    let expired = message(server.key(Key("main", "expired"))).await;
    assert!(expired.contains("expired") && expired.contains(ended_at), "{expired}");
    let revoked = message(server.key(Key("main", "revoked"))).await;
    assert!(revoked.contains("revoked") && revoked.contains(ended_at), "{revoked}");
    let unknown = message(ApiKey::generate(Environment::Test).reveal()).await;
    let altered = message(&with_another_checksum(server.key(Key("main", "revoked")))).await;
    assert_eq!(unknown, altered);
}

/// Every form that must be rejected. The HTTP library accepts a header of 16 KB, so our code
/// rejects it.
fn rejected(server: &TestServer) -> Vec<Sent> {
    let valid = server.key(Key::MAIN);
    let key = |name, value: &str| header(name, "x-api-key", value.as_bytes());
    let mut repeated = key("repeated header", valid);
    repeated.headers.push(("x-api-key", valid.into()));
    let mut repeated_with_other = key("repeated header, the second unknown", valid);
    let unknown = ApiKey::generate(Environment::Test);
    repeated_with_other.headers.push(("x-api-key", unknown.reveal().into()));
    vec![
        Sent { name: "absent", headers: Vec::new(), query: String::new() },
        key("empty", ""),
        repeated,
        repeated_with_other,
        key("one character short", &valid[..valid.len() - 1]),
        key("one character long", &format!("{valid}0")),
        key("two in one header", &format!("{valid}, {valid}")),
        key("bad checksum", &with_another_checksum(valid)),
        key("another letter case", &valid.to_uppercase()),
        key("unknown", unknown.reveal()),
        key("wrong environment", ApiKey::generate(Environment::Live).reveal()),
        key("of this environment by name alone", &valid.replacen("pcp_test_", "pcp_live_", 1)),
        key("revoked", server.key(Key("main", "revoked"))),
        key("expired", server.key(Key("main", "expired"))),
        Sent {
            name: "in the query only",
            headers: Vec::new(),
            query: format!("?x-api-key={valid}"),
        },
        header("in authorization only", "authorization", format!("Bearer {valid}").as_bytes()),
        header("in the cookie only", "cookie", format!("x-api-key={valid}").as_bytes()),
        key("non-ASCII", &format!("{}é", &valid[..valid.len() - 2])),
        header("no text at all", "x-api-key", &[0xFF, 0xFE, 0x80]),
        key("16 KB", &"A".repeat(16 * 1024)),
        key("16 KB that begin like a key", &format!("{valid}{}", "A".repeat(16 * 1024))),
    ]
}

fn header(name: &'static str, header: &'static str, value: &[u8]) -> Sent {
    Sent { name, headers: vec![(header, value.to_vec())], query: String::new() }
}

fn with_another_checksum(key: &str) -> String {
    let (body, last) = key.split_at(key.len() - 1);
    format!("{body}{}", if last == "0" { "1" } else { "0" })
}
