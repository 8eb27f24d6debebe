//! §8, A9: which headers each response has.

use poem::http::Method;
use serde_json::json;

use crate::support::{Key, TestRequest, TestResponse, TestServer, dataset::*, operator};

/// A request for every status that a test can cause, and whether its response is metered.
fn one_of_each(server: &TestServer) -> Vec<(TestRequest, u16, bool)> {
    let limited = Key("main", "affiliate-write");
    let declared = || {
        let request = server.request(Method::PATCH, &format!("/api/v1/partners/{BARE}"));
        request.header("x-api-key", server.key(Key::MAIN))
    };
    vec![
        (server.get(Key::MAIN, "/api/v1/partners"), 200, true),
        (server.get(Key::MAIN, "/api/v1/partners/absent"), 404, true),
        (server.detach(PENDING_LINE), 422, true),
        (server.update(BARE, json!({"tierId": "tier_none"})), 422, true),
        (server.get(Key("exhausted", "all"), "/api/v1/partners"), 402, true),
        (server.get(Key::MAIN, "/api/v1/partners?cursor=!"), 400, false),
        (server.request(Method::GET, "/api/v1/partners"), 401, false),
        (server.get(limited, "/api/v1/partners"), 403, false),
        (server.get(Key::MAIN, "/api/v1/nowhere"), 404, false),
        (server.patch(Key::MAIN, "/api/v1/partners", serde_json::json!({})), 405, false),
        (
            declared().header("content-type", "application/json").body(" ".repeat(65_537)),
            413,
            false,
        ),
        (declared().body("{}"), 415, false),
        (server.update(BARE, json!({"name": 1})), 422, false),
    ]
}

#[tokio::test]
async fn every_answer_carries_rate_headers_and_a_metered_one_both_credit_headers() {
    let server = TestServer::start().await;
    for (request, status, is_metered) in one_of_each(&server) {
        // `TestResponse::read` has checked the rate headers, the request id and the pair of credit
        // headers.
        let response = request.expect(status).await;
        let credits = response.header("x-service-credits-remaining-month");
        assert_eq!(credits.is_some(), is_metered, "{status}: {}", response.text);
    }
}

#[tokio::test]
async fn rate_headers_report_the_organisations_minute_where_the_key_is_valid() {
    let server = TestServer::start().await;
    operator::set_limits(&server, MAIN, 7, Some(100)).await;
    let message = |response: &TestResponse| {
        let number = |name| response.number(name).unwrap();
        (number("x-ratelimit-limit-minute"), number("x-ratelimit-remaining-minute"))
    };
    let requests = [
        server.get(Key::MAIN, "/api/v1/partners"),
        server.get(Key("main", "affiliate-write"), "/api/v1/partners"),
        server.get(Key::MAIN, "/api/v1/partners?limit=0"),
        server.get(Key::MAIN, "/api/v1/partners/absent"),
        server.update(BARE, json!({"name": 1})),
        server.detach(PENDING_LINE),
        server.detach(DETACHABLE),
        server.detach(DETACHABLE),
    ];
    let mut seen = Vec::new();
    for request in requests {
        seen.push(message(&request.send().await));
    }
    let expected: Vec<(i64, i64)> = [6, 5, 4, 3, 2, 1, 0, 0].map(|left| (7, left)).into();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn answers_without_a_valid_key_report_the_limit_of_their_address() {
    let server =
        TestServer::start_with(|options| options.anonymous_requests_per_minute = 70_000).await;
    let valid = server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    assert_eq!(valid.number("x-ratelimit-remaining-minute"), Some(99_999));
    let requests = [
        server.request(Method::GET, "/api/v1/partners"),
        server.get(Key::MAIN, "/api/v1/nowhere"),
        server.patch(Key::MAIN, "/api/v1/partners", serde_json::json!({})),
    ];
    for request in requests {
        let response = request.send().await;
        assert_eq!(response.number("x-ratelimit-limit-minute"), Some(70_000), "{}", response.text);
    }
    let valid = server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    assert_eq!(valid.number("x-ratelimit-remaining-minute"), Some(99_998));
}
