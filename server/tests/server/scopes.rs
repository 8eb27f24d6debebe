//! §5: what a key's scopes allow.

use poem::http::{Method, StatusCode};
use serde_json::json;

use crate::support::{Key, TestRequest, TestServer, dataset::*, snapshot};

/// Every operation, and the scope it needs.
fn operations(server: &TestServer, key: Key) -> Vec<(TestRequest, &'static str)> {
    let detach = format!("/api/v1/commission-lines/{DETACHABLE}/detach");
    vec![
        (server.get(key, "/api/v1/partners"), "partners:read"),
        (server.get(key, &format!("/api/v1/partners/{BARE}")), "partners:read"),
        (server.patch(key, &format!("/api/v1/partners/{BARE}"), json!({})), "partners:write"),
        (server.get(key, "/api/v1/commission-lines"), "commissions:read"),
        (server.post(key, &detach), "commissions:write"),
        (server.get(key, &format!("/api/v1/payouts/{ONE_LINE}")), "commissions:read"),
    ]
}

#[tokio::test]
async fn key_of_one_scope_passes_where_that_scope_is_needed_and_nowhere_else() {
    let server = TestServer::start().await;
    let keys = [
        ("partners-read", "partners:read"),
        ("partners-write", "partners:write"),
        ("commissions-read", "commissions:read"),
        ("commissions-write", "commissions:write"),
        ("affiliate-write", "affiliate:write"),
        ("portal-sessions-write", "portal-sessions:write"),
    ];
    for (name, scope) in keys {
        for (request, needed) in operations(&server, Key("main", name)) {
            let response = request.send().await;
            if scope == needed {
                assert_eq!(response.status, 200, "{name}: {}", response.text);
            } else {
                assert_eq!(response.status, 403, "{name} where {needed} is needed");
                assert_eq!(response.body["error"]["details"], json!({ "requiredScope": needed }));
            }
        }
    }
}

#[tokio::test]
async fn rejection_names_the_scope() {
    let server = TestServer::start().await;
    let key = Key("main", "partners-read");
    let response = server.get(key, "/api/v1/commission-lines").expect(403).await;
    snapshot("list_commission_lines", "insufficient_scope", &response);
}

#[tokio::test]
async fn scope_is_checked_before_form_and_resource() {
    let server = TestServer::start().await;
    let key = Key("main", "commissions-write");
    let requests = [
        server.get(key, "/api/v1/partners?limit=0&unknown=1"),
        server.get(key, "/api/v1/partners/absent"),
        server.patch(key, "/api/v1/partners/absent", json!([])),
        server.get(key, "/api/v1/partners").header("api-version", "1999-01-01"),
        server
            .request(Method::PATCH, "/api/v1/partners/x")
            .header("x-api-key", server.key(key))
            .body("x"),
    ];
    for request in requests {
        assert_eq!(request.send().await.status, StatusCode::FORBIDDEN);
    }
}

#[tokio::test]
async fn scope_is_checked_before_the_credits() {
    let server = TestServer::start().await;
    crate::support::operator::set_limits(&server, MAIN, 100, Some(0)).await;
    server.get(Key("main", "affiliate-write"), "/api/v1/partners").expect(403).await;
    server.get(Key::MAIN, "/api/v1/partners").expect(402).await;
}
