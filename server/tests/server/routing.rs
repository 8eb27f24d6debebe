//! R5: paths and methods, checked before the key.

use poem::http::Method;

use crate::support::{Key, TestServer, dataset::*, raw, snapshot};

#[tokio::test]
async fn path_of_no_operation_is_unknown_with_a_key_and_without() {
    let server = TestServer::start().await;
    let response = server.request(Method::GET, "/api/v1/nothing").expect(404).await;
    snapshot("unrouted", "unknown_path", &response);
    let paths = [
        "/",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v2/partners",
        "/API/v1/partners",
        "/api/v1/Partners",
        "/api/v1/partners/",
        "//api/v1/partners",
        "/api//v1/partners",
        "/api/v1//partners",
        "/api/v1/partners//",
        "/api/v1/partners/x/",
        "/api/v1/partners/x/y",
        "/api/v1%2Fpartners",
        "/api/v1/partners%3Flimit=1",
        "/api/v1/partners;limit=1",
        "/api/v1/payouts/",
        "/api/v1/commission-lines/",
        "/api/v1/commission-lines//detach",
        "/api/v1/commission-lines/x/detach/",
        "/api/v1/commission-lines/x/Detach",
    ];
    for path in paths {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let anonymous = server.request(method.clone(), path).expect(404).await;
            assert_eq!(anonymous.text, response.text, "{method} {path}");
            let request = server.request(method, path).header("x-api-key", server.key(Key::MAIN));
            assert_eq!(request.expect(404).await.text, response.text);
        }
    }
}

#[tokio::test]
async fn id_that_cannot_be_decoded_makes_an_unknown_path() {
    let server = TestServer::start().await;
    for id in ["%", "%4", "%zz", "%ff", "%C3", "%C3%28", "%ED%A0%80", "%00", "a%00b"] {
        for path in [
            format!("/api/v1/partners/{id}"),
            format!("/api/v1/payouts/{id}"),
            format!("/api/v1/commission-lines/{id}/detach"),
        ] {
            let response = raw::exchange(&server, &raw::head("POST", &path, "none", "")).await;
            assert_eq!((response.status.as_u16(), response.code()), (404, "NOT_FOUND"), "{path}");
        }
    }
}

#[tokio::test]
async fn dots_in_a_path_lead_nowhere_else() {
    let server = TestServer::start().await;
    let key = server.key(Key::MAIN);
    for id in ["..", ".", "%2e%2e", "..%2fpartners", "..%2f..%2f..%2fopenapi.yaml", "%2F", "a%2Fb"]
    {
        let path = format!("/api/v1/partners/{id}");
        let response = raw::exchange(&server, &raw::head("GET", &path, key, "")).await;
        assert_eq!(response.status, 404, "{path}");
        let credits = response.header("x-service-credits-remaining-month");
        assert!(credits.is_some(), "{path} is an id like any other");
    }
    let path = format!("/api/v1/partners/../payouts/{ONE_LINE}");
    let response = raw::exchange(&server, &raw::head("GET", &path, key, "")).await;
    assert_eq!(response.status, 404);
    assert_eq!(response.header("x-service-credits-remaining-month"), None);
}

#[tokio::test]
async fn known_path_with_another_method_names_those_it_has() {
    let server = TestServer::start().await;
    let detach = format!("/api/v1/commission-lines/{DETACHABLE}/detach");
    let paths = [
        ("/api/v1/partners", "GET, POST"),
        ("/api/v1/partners/absent", "GET, PATCH"),
        ("/api/v1/commission-lines", "GET, POST"),
        (&detach, "POST"),
        ("/api/v1/payouts/absent", "GET, PATCH"),
        ("/api/v1/payout-batches", "GET, POST"),
        ("/api/v1/payout-batches/absent", "GET"),
    ];
    let methods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND get";
    for (path, allow) in paths {
        let allowed: Vec<&str> = allow.split(", ").collect();
        for method in methods.split(' ').filter(|method| !allowed.contains(method)) {
            for key in ["none", server.key(Key::MAIN)] {
                let response = raw::exchange(&server, &raw::head(method, path, key, "")).await;
                let seen = (response.status.as_u16(), response.header("allow"));
                assert_eq!(seen, (405, Some(allow)), "{method} {path}");
            }
        }
    }
    let response = server.request(Method::DELETE, "/api/v1/partners/absent").expect(405).await;
    snapshot("unrouted", "another_method", &response);
}

#[tokio::test]
async fn head_and_options_are_methods_like_any_other() {
    let server = TestServer::start().await;
    for method in [Method::HEAD, Method::OPTIONS] {
        let request =
            server.request(method, "/api/v1/partners").header("x-api-key", server.key(Key::MAIN));
        let response = request.expect(405).await;
        assert_eq!(response.header("allow"), Some("GET, POST"));
    }
}

#[tokio::test]
async fn document_and_its_page_stand_beside_the_api() {
    let server = TestServer::start().await;
    for (path, content_type) in [
        ("/openapi.yaml", "application/yaml"),
        ("/openapi.json", "application/json"),
        ("/docs", "text/html; charset=utf-8"),
    ] {
        let response = reqwest::get(format!("{}{path}", server.base_url())).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], content_type);
        assert!(response.headers().contains_key("x-request-id"));
    }
    let yaml = reqwest::get(format!("{}/openapi.yaml", server.base_url())).await.unwrap();
    assert_eq!(yaml.text().await.unwrap(), payout_server::http::docs::DOCUMENT);
}
