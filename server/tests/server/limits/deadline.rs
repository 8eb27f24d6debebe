//! A request has a deadline; its work continues after it.

use poem::http::Method;

use super::{
    client::{counted, until},
    held::Held,
};
use crate::support::{Key, TestServer, dataset::MAIN, operator};

const PATH: &str = "/api/v1/partners?limit=1";

#[tokio::test]
async fn request_that_takes_too_long_is_a_503_that_costs_no_credit_and_its_work_goes_on() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let held = Held::new();
    let replica =
        server.replica_with_handler_and(held.clone(), |options| options.request_seconds = 1).await;
    let request = replica.request(Method::GET, PATH, server.key(Key::MAIN));
    let response = request.expect(503).await;
    assert_eq!(response.code(), "SERVICE_UNAVAILABLE");
    let meter = operator::meter(&superuser_pool, MAIN).await;
    assert_eq!((meter.minute_used, meter.month_used), (1, 0));
    let metrics = replica.metrics();
    assert_eq!(counted(&metrics, "payout_requests_unavailable_total{cause=\"timeout\"}"), 1);
    assert_eq!(counted(&metrics, "payout_requests_in_flight"), 1, "its work still takes a place");
    assert_eq!(held.ended(), [""; 0]);
    held.release(1);
    until(|| held.ended() == [MAIN]).await;
    until(|| counted(&replica.metrics(), "payout_requests_in_flight") == 0).await;
}

#[tokio::test]
async fn key_of_a_late_request_has_the_response_of_its_work_and_no_other_body_gets_it() {
    let server = TestServer::start_with(|options| {
        options.request_seconds = 1;
        options.lock_seconds = 60;
        options.query_seconds = 60;
    })
    .await;
    let superuser = server.superuser().await;
    let mut holding = superuser.begin().await.unwrap();
    let lock = "LOCK TABLE payout.partners IN ACCESS EXCLUSIVE MODE";
    sqlx::query(lock).execute(&mut *holding).await.unwrap();
    let create = |name: &str| {
        let request = server.post(Key::MAIN, "/api/v1/partners").header("idempotency-key", "late");
        let body = format!(r#"{{"name": "{name}"}}"#);
        request.header("content-type", "application/json").body(body).send()
    };
    assert_eq!(create("Aurora").await.status, 503);
    assert_eq!(create("Aurora").await.code(), "IDEMPOTENCY_IN_PROGRESS");
    holding.rollback().await.unwrap();
    let mut repeated = create("Aurora").await;
    while repeated.status == 409 {
        repeated = create("Aurora").await;
    }
    assert_eq!(repeated.status, 201);
    assert_eq!(repeated.header("idempotent-replayed"), Some("true"));
    assert_eq!(create("Borealis").await.code(), "IDEMPOTENCY_KEY_REUSED");
}
