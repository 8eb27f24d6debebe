//! X25: the batches of one organisation do not hold up the others, and one that takes too long
//! takes nothing.

use poem::http::Method;
use serde_json::json;
use sqlx::PgPool;

use super::client::until;
use crate::support::{
    Key, TestRequest, TestServer,
    commission::{may, post},
    dataset::MAIN,
};

fn batch(server: &TestServer) -> TestRequest {
    post(server, "payout-batches", &may(None))
}

/// Counts the statements that wait for a lock.
async fn waiting(superuser: &PgPool) -> i64 {
    let waiting = "SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'";
    sqlx::query_scalar(waiting).fetch_one(superuser).await.unwrap()
}

#[tokio::test]
async fn batches_of_one_organisation_hold_one_connection_and_more_than_four_do_not_wait() {
    let server = TestServer::start_with(|options| {
        options.database_connections = 2;
        options.queued_batches_per_organization = 4;
    })
    .await;
    let superuser = server.superuser().await;
    let mut pool = superuser.begin().await.unwrap();
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('pending pool of ' || $1, 0))";
    sqlx::query(lock).bind(MAIN).execute(&mut *pool).await.unwrap();
    let batches: Vec<_> = (0..6).map(|_| tokio::spawn(batch(&server).send())).collect();
    until(|| batches.iter().any(tokio::task::JoinHandle::is_finished)).await;
    while waiting(&superuser).await == 0 {}
    // The other connection is free for others, and for the organisation itself.
    for key in [Key::OTHER, Key::MAIN] {
        let create = server.post(key, "/api/v1/partners").body(r#"{"name": "x"}"#);
        create.header("content-type", "application/json").expect(201).await;
    }
    assert_eq!(waiting(&superuser).await, 1);
    pool.rollback().await.unwrap();
    let mut statuses = Vec::new();
    for response in batches {
        statuses.push(response.await.unwrap().status.as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 201, 201, 201, 503]);
}

#[tokio::test]
async fn repetition_of_a_batch_that_waits_gets_409_at_once() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let mut pool = superuser.begin().await.unwrap();
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('pending pool of ' || $1, 0))";
    sqlx::query(lock).bind(MAIN).execute(&mut *pool).await.unwrap();
    let running = tokio::spawn(batch(&server).send());
    while waiting(&superuser).await == 0 {}
    let keyed = || batch(&server).header("idempotency-key", "batch-1");
    let both = [(); 2].map(|()| tokio::spawn(keyed().send()));
    // One of them waits in memory.
    until(|| both.iter().any(tokio::task::JoinHandle::is_finished)).await;
    let (ended, queued): (Vec<_>, Vec<_>) =
        both.into_iter().partition(tokio::task::JoinHandle::is_finished);
    let [ended, queued] = [ended, queued].map(|mut one| one.pop().expect("one of each"));
    assert_eq!(ended.await.unwrap().code(), "IDEMPOTENCY_IN_PROGRESS");
    pool.rollback().await.unwrap();
    assert_eq!(running.await.unwrap().status, 201);
    let first = queued.await.unwrap();
    let again = keyed().expect(201).await;
    assert_eq!((first.status.as_u16(), &first.text), (201, &again.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

#[tokio::test]
async fn partner_is_changed_while_a_batch_refers_to_it() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let mut referring = superuser.begin().await.unwrap();
    let lock = "SELECT FROM payout.partners WHERE organization_id = $1 FOR KEY SHARE";
    sqlx::query(lock).bind(MAIN).execute(&mut *referring).await.unwrap();
    let path = "/api/v1/partners/ptn_01JV3N8Q5R0000000000000001";
    server.patch(Key::MAIN, path, json!({ "name": "Renamed" })).expect(200).await;
    referring.rollback().await.unwrap();
}

#[tokio::test]
async fn batch_that_takes_longer_than_its_limit_is_a_503_and_takes_nothing() {
    let server = TestServer::start().await;
    // The second server has the usual limit: a batch that succeeds may take a second.
    let limited = server.replica_with(|options| options.batch_seconds = 1).await;
    let superuser = server.superuser().await;
    let mut holding = superuser.begin().await.unwrap();
    let lock = "LOCK TABLE payout.commission_lines IN ACCESS EXCLUSIVE MODE";
    sqlx::query(lock).execute(&mut *holding).await.unwrap();
    let request = limited.request(Method::POST, "/api/v1/payout-batches", server.key(Key::MAIN));
    let request = request.header("content-type", "application/json");
    request.body(may(None).to_string()).expect(503).await;
    holding.rollback().await.unwrap();
    let made = batch(&server).expect(201).await;
    assert_eq!(made.body["data"]["lineCount"], 33);
}
