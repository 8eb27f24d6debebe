//! X25: the batches of one organisation do not hold up the others, and one that takes too long
//! takes nothing.

use serde_json::json;
use tokio::task::JoinHandle;

use crate::support::{
    Key, TestRequest, TestServer,
    commission::{may, post},
    dataset::{MAIN, NORDWIND},
    until,
};

fn batch(server: &TestServer) -> TestRequest {
    post(server, "payout-batches", &may(None))
}

/// The lock of main's pending pool.
fn pool() -> String {
    format!("SELECT pg_advisory_xact_lock(hashtextextended('pending pool of ' || '{MAIN}', 0))")
}

#[tokio::test]
async fn batches_of_one_organisation_hold_one_connection_and_more_than_four_do_not_wait() {
    let server = TestServer::start_with(|options| {
        options.database_connections = 2;
        options.queued_batches_per_organization = 4;
    })
    .await;
    let pool = server.hold(pool()).await;
    let batches: Vec<_> = (0..6).map(|_| tokio::spawn(batch(&server).send())).collect();
    until(async || batches.iter().any(JoinHandle::is_finished)).await;
    until(async || server.waiting().await > 0).await;
    // The other connection is free for others, and for the organisation itself.
    for key in [Key::OTHER, Key::MAIN] {
        server.post(key, "/api/v1/partners").json(&json!({ "name": "x" })).expect(201).await;
    }
    assert_eq!(server.waiting().await, 1);
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
    let pool = server.hold(pool()).await;
    let running = tokio::spawn(batch(&server).send());
    until(async || server.waiting().await > 0).await;
    let keyed = || batch(&server).header("idempotency-key", "batch-1");
    let both = [(); 2].map(|()| tokio::spawn(keyed().send()));
    // One of them waits in memory.
    until(async || both.iter().any(JoinHandle::is_finished)).await;
    let (ended, queued): (Vec<_>, Vec<_>) = both.into_iter().partition(JoinHandle::is_finished);
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
    let referring = "SELECT FROM partners WHERE organization_id";
    let referring = server.hold(format!("{referring} = '{MAIN}' FOR KEY SHARE")).await;
    server.update(NORDWIND, json!({ "name": "Renamed" })).expect(200).await;
    referring.rollback().await.unwrap();
}

#[tokio::test]
async fn batch_that_takes_longer_than_its_limit_is_a_503_and_takes_nothing() {
    let server = TestServer::start().await;
    // The second server has the usual limit: a batch that succeeds may take a second.
    let limited = server.replica_with(|options| options.batch_seconds = 1).await;
    let lock = server.hold("LOCK TABLE commission_lines IN ACCESS EXCLUSIVE MODE").await;
    let request = limited.post(Key::MAIN, "/api/v1/payout-batches");
    request.json(&may(None)).expect(503).await;
    lock.rollback().await.unwrap();
    let made = batch(&server).expect(201).await;
    assert_eq!(made.body["data"]["lineCount"], 33);
}
