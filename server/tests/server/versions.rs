//! §9, R12, X12: versions of which one will end. The suite meets servers of one version.

use payout_server::{
    contract::{Arguments, Deprecation, Version},
    gate::{Caller, GateOptions, Handler},
};
use poem::{Response, http::Method};

use crate::support::{Key, TestServer};

/// A version that will end, and the current one.
const TWO_VERSIONS: &[Version] = &[
    Version {
        name: "2025-01-01",
        deprecation: Some(Deprecation {
            deprecated: "@1779235200",
            sunset: "Thu, 20 May 2027 00:00:00 GMT",
        }),
    },
    Version { name: "2026-05-20", deprecation: None },
];

/// Responds to every request with an empty list.
struct Empty;

impl Handler for Empty {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        Response::builder().content_type("application/json").body(r#"{"data":[]}"#)
    }
}

#[tokio::test]
async fn key_remembers_its_version_and_responses_announce_its_end() {
    let server = TestServer::start().await;
    let options = server.options();
    let gate = GateOptions { versions: TWO_VERSIONS, ..options.gate() };
    let replica = server.replica_with_gate(Empty, options, gate).await;
    let superuser_pool = server.superuser().await;
    // The key's version, the header, and whether the response announces an end.
    for (key, header, is_deprecated) in [
        ("2025-01-01", None, true),
        ("2025-01-01", Some("2026-05-20"), false),
        ("2026-05-20", None, false),
        ("2026-05-20", Some("2025-01-01"), true),
        // An unsupported version: the header's is rejected, so the key's counts.
        ("2025-01-01", Some("2024-01-01"), true),
        ("2026-05-20", Some("2024-01-01"), false),
        // A version that ended before its key.
        ("2024-01-01", None, true),
    ] {
        let made_with = sqlx::query("UPDATE api_keys SET api_version = $1").bind(key);
        made_with.execute(&superuser_pool).await.unwrap();
        let mut request = replica.request(Method::GET, "/api/v1/partners", server.key(Key::MAIN));
        if let Some(version) = header {
            request = request.header("api-version", version);
        }
        let status = if header == Some("2024-01-01") { 400 } else { 200 };
        let response = request.expect(status).await;
        let announced = ["deprecation", "sunset"].map(|name| response.header(name));
        let expected = ["@1779235200", "Thu, 20 May 2027 00:00:00 GMT"];
        let expected = expected.map(|value| is_deprecated.then_some(value));
        assert_eq!(announced, expected, "key {key}, header {header:?}");
    }
}

#[tokio::test]
async fn response_without_a_valid_key_announces_no_end() {
    let server = TestServer::start().await;
    let options = server.options();
    let gate = GateOptions { versions: TWO_VERSIONS, ..options.gate() };
    let replica = server.replica_with_gate(Empty, options, gate).await;
    let request = replica.request(Method::GET, "/api/v1/partners", "no key");
    let response = request.header("api-version", "2025-01-01").expect(401).await;
    assert_eq!(response.header("deprecation"), None);
}
