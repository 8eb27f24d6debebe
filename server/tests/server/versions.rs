//! §9, R12, X12: versions of which one will end. The suite meets servers of one version.

use payout_server::{
    contract::{Deprecation, Version},
    gate::GateOptions,
};
use poem::{Response, http::Method};

use crate::support::{Handle, Key, TestServer};

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

#[tokio::test]
async fn key_remembers_its_version_and_responses_announce_its_end() {
    let server = TestServer::start().await;
    let options = server.options();
    let gate = GateOptions { versions: TWO_VERSIONS, ..options.gate() };
    let empty = Handle(|_| async {
        Response::builder().content_type("application/json").body(r#"{"data":[]}"#)
    });
    let replica = server.replica_with_gate(empty, options, gate).await;
    // The key's version, the header, and whether the response announces an end.
    for (version, header, status, is_deprecated) in [
        ("2025-01-01", "", 200, true),
        ("2025-01-01", "2026-05-20", 200, false),
        ("2026-05-20", "", 200, false),
        ("2026-05-20", "2025-01-01", 200, true),
        // An unsupported version: the header's is rejected, so the key's counts.
        ("2025-01-01", "2024-01-01", 400, true),
        ("2026-05-20", "2024-01-01", 400, false),
        // A version that ended before its key.
        ("2024-01-01", "", 200, true),
        // No valid key.
        ("none", "2025-01-01", 401, false),
    ] {
        server.execute(format!("UPDATE api_keys SET api_version = '{version}'")).await;
        let key = if status == 401 { "no key" } else { server.key(Key::MAIN) };
        let request = replica.request(Method::GET, "/api/v1/partners");
        let mut request = request.header("x-api-key", key);
        if !header.is_empty() {
            request = request.header("api-version", header);
        }
        let response = request.expect(status).await;
        let announced = ["deprecation", "sunset"].map(|name| response.header(name));
        let expected = ["@1779235200", "Thu, 20 May 2027 00:00:00 GMT"];
        let expected = expected.map(|value| is_deprecated.then_some(value));
        assert_eq!(announced, expected, "key {version}, header {header:?}");
    }
}
