//! §9, R12: versions of the interface.

use crate::support::{Key, TestServer, dataset::*, snapshot};

#[tokio::test]
async fn supported_version_is_the_same_as_none() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    let without = server.get(Key::MAIN, &path).expect(200).await;
    let with = server.get(Key::MAIN, &path).header("api-version", "2026-05-20").expect(200).await;
    assert_eq!(with.text, without.text);
}

#[tokio::test]
async fn unknown_version_is_rejected_with_the_supported_ones() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    for version in
        ["2026-05-21", "2026-05-2", "20260520", "1", "latest", "", "2026-05-20, 2026-05-20", "é"]
    {
        let response =
            server.get(Key::MAIN, &path).header("api-version", version).expect(400).await;
        assert_eq!(response.code(), "UNSUPPORTED_API_VERSION", "{version:?}");
        let supported = &response.body["error"]["details"]["supportedVersions"];
        assert_eq!(supported, &serde_json::json!(["2026-05-20"]));
    }
    let response =
        server.get(Key::MAIN, &path).header("api-version", "2099-01-01").expect(400).await;
    snapshot("get_payout", "unsupported_version", &response);
}

#[tokio::test]
async fn unknown_version_is_rejected_by_every_operation_and_changes_nothing() {
    let server = TestServer::start().await;
    let requests = [
        server.get(Key::MAIN, "/api/v1/partners"),
        server.get(Key::MAIN, "/api/v1/partners/absent"),
        server.update(BARE, serde_json::json!({"name": "x"})),
        server.get(Key::MAIN, "/api/v1/commission-lines"),
        server.detach(DETACHABLE),
    ];
    for request in requests {
        request.header("api-version", "2099-01-01").expect(400).await;
    }
    server.detach(DETACHABLE).expect(200).await;
    let partner = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(partner.body["data"]["name"], "Bare Minimum Ltd");
}
