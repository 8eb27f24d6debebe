//! §7, §8, A6, A7: monthly credits, and which requests cost one.

use poem::http::Method;
use serde_json::json;

use crate::support::{Key, TestRequest, TestServer, dataset::*, operator, snapshot};

const PATH: &str = "/api/v1/partners?limit=1";
const REMAINING: &str = "x-service-credits-remaining-month";
const LIMIT: &str = "x-service-credits-limit-month";

async fn allow(server: &TestServer, credits: i64) {
    operator::set_limits(server, MAIN, 1000, Some(credits)).await;
}

#[tokio::test]
async fn each_answer_reports_what_is_left_after_it() {
    let server = TestServer::start().await;
    allow(&server, 3).await;
    for remaining in (0..3).rev() {
        let response = server.get(Key::MAIN, PATH).expect(200).await;
        let message = (response.number(LIMIT), response.number(REMAINING));
        assert_eq!(message, (Some(3), Some(remaining)));
    }
    let response = server.get(Key::MAIN, PATH).expect(402).await;
    assert_eq!((response.number(LIMIT), response.number(REMAINING)), (Some(3), Some(0)));
}

#[tokio::test]
async fn organisation_without_credits_is_reported_when_they_reset() {
    let server = TestServer::start().await;
    let response = server.get(Key("exhausted", "all"), PATH).expect(402).await;
    snapshot("list_partners", "credits_exhausted", &response);
}

#[tokio::test]
async fn credits_reset_when_the_utc_month_ends() {
    let server = TestServer::start().await;
    allow(&server, 1).await;
    let ends = [
        ("2026-06-30T23:59:59.001Z", "1", "2026-07-01T00:00:00.000Z"),
        ("2026-12-01T00:00:00.000Z", "2678400", "2027-01-01T00:00:00.000Z"),
        ("2027-02-28T00:00:00.500Z", "86400", "2027-03-01T00:00:00.000Z"),
        ("2027-04-30T23:00:00.000Z", "3600", "2027-05-01T00:00:00.000Z"),
    ];
    for (before, seconds, after) in ends {
        server.database.set_clock(before).await.unwrap();
        let credits = server.get(Key::MAIN, PATH).expect(200).await.number(REMAINING);
        assert_eq!(credits, Some(0));
        let rejected = server.get(Key::MAIN, PATH).expect(402).await;
        assert_eq!(rejected.header("retry-after"), Some(seconds), "{before}");
        server.database.set_clock(after).await.unwrap();
        let credits = server.get(Key::MAIN, PATH).expect(200).await.number(REMAINING);
        assert_eq!(credits, Some(0), "{after}");
        server.get(Key::MAIN, PATH).expect(402).await;
    }
}

#[tokio::test]
async fn credits_that_were_left_are_not_carried_over() {
    let server = TestServer::start().await;
    allow(&server, 10).await;
    server.get(Key::MAIN, PATH).expect(200).await;
    server.database.set_clock("2026-07-01T00:00:00Z").await.unwrap();
    let response = server.get(Key::MAIN, PATH).expect(200).await;
    assert_eq!(response.number(REMAINING), Some(9));
}

#[tokio::test]
async fn answers_of_a_begun_operation_cost_one_credit_each() {
    let server = TestServer::start().await;
    allow(&server, 100).await;
    let metered: [(TestRequest, u16); 7] = [
        (server.get(Key::MAIN, PATH), 200),
        (server.get(Key::MAIN, &format!("/api/v1/payouts/{NO_PAYOUT}")), 404),
        (server.update(NO_PARTNER, json!({})), 404),
        (server.update(BARE, json!({"tierId": "tier_none"})), 422),
        (server.update(BARE, json!({})), 200),
        (server.detach(PENDING_LINE), 422),
        (server.detach(DETACHABLE), 200),
    ];
    for (used, (request, status)) in (1..).zip(metered) {
        let response = request.expect(status).await;
        assert_eq!(response.number(REMAINING), Some(100 - used), "{}", response.text);
    }
}

#[tokio::test]
async fn rejections_before_the_operation_begins_cost_nothing() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let before = operator::meter(&superuser_pool, MAIN).await;
    let unmetered: [(TestRequest, u16); 9] = [
        (server.request(Method::GET, PATH), 401),
        (server.get(Key("main", "affiliate-write"), PATH), 403),
        (server.get(Key::MAIN, "/api/v1/partners?limit=101"), 422),
        (server.get(Key::MAIN, "/api/v1/partners?cursor=AAAA"), 400),
        (server.get(Key::MAIN, PATH).header("api-version", "1999-01-01"), 400),
        (server.update(BARE, json!({"name": ""})), 422),
        (server.get(Key::MAIN, "/api/v1/nothing"), 404),
        (server.patch(Key::MAIN, PATH, serde_json::json!({})), 405),
        (
            server
                .request(Method::PATCH, &format!("/api/v1/partners/{BARE}"))
                .header("x-api-key", server.key(Key::MAIN)),
            415,
        ),
    ];
    for (request, status) in unmetered {
        let response = request.expect(status).await;
        assert_eq!(
            (response.header(LIMIT), response.header(REMAINING)),
            (None, None),
            "{}",
            response.text
        );
    }
    let after = operator::meter(&superuser_pool, MAIN).await;
    assert_eq!(after.month_used, before.month_used);
    assert_eq!(
        after.minute_used,
        before.minute_used + 6,
        "the six with a valid key, on a known path"
    );
}

#[tokio::test]
async fn a_402_comes_after_the_form_and_before_the_resource() {
    let server = TestServer::start().await;
    let key = Key("exhausted", "all");
    server.get(key, "/api/v1/partners?limit=0").expect(422).await;
    let response = server.get(key, "/api/v1/partners/absent").expect(402).await;
    assert_eq!(response.number(REMAINING), Some(0));
    let response = server.patch(key, "/api/v1/partners/absent", json!({})).expect(402).await;
    assert_eq!(response.number(REMAINING), Some(0));
}

#[tokio::test]
async fn unlimited_organisation_is_reported_of_no_credits() {
    let server = TestServer::start().await;
    let response = server.get(Key("unlimited", "all"), PATH).expect(200).await;
    assert_eq!((response.header(LIMIT), response.header(REMAINING)), (None, None));
    let response = server.get(Key("unlimited", "all"), "/api/v1/partners/absent").expect(404).await;
    assert_eq!((response.header(LIMIT), response.header(REMAINING)), (None, None));
}

#[tokio::test]
async fn lowered_allowance_leaves_no_negative_rest() {
    let server = TestServer::start().await;
    allow(&server, 5).await;
    for _ in 0..3 {
        server.get(Key::MAIN, PATH).expect(200).await;
    }
    allow(&server, 2).await;
    let response = server.get(Key::MAIN, PATH).expect(402).await;
    assert_eq!((response.number(LIMIT), response.number(REMAINING)), (Some(2), Some(0)));
}
