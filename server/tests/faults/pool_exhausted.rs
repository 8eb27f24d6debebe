//! A7 when no connection to the database is available: 503 with the envelope, the credit refunded,
//! and no connection lost. The pool has one connection for handlers, blocked by a lock.

use std::time::Instant;

use crate::support::{
    Deployment, Operation, Options, Plan,
    accounts::Faults,
    scale::{done, factor, measured},
    until,
};

/// Repetitions in the quick form.
const ROUNDS: u64 = 2;
const REQUESTS: u64 = 60;
/// Failed requests per replica and round: together more than [`MAX_SESSIONS`], so that one lost
/// connection each would show.
const FAILURES: u64 = 24;
/// The most sessions of two servers with one handler connection each, including admission's.
const MOST_SESSIONS: i64 = 60;
const RECOVERY_MILLISECONDS: u128 = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exhausted_pool_is_a_503_that_costs_no_credit_and_loses_no_connection() {
    let deployment = Deployment::start(Options {
        flags: &["--database-connections", "1", "--acquire-seconds", "1"],
        ..Options::default()
    })
    .await;
    // Lists and changes: they need a handler's connection, and the table that will be locked.
    let plan = Plan::of(|random, target| {
        let organization = random.index(target.organizations.len());
        let operation = match random.below(4) {
            0 => Operation::UpdatePartner(random.index(4)),
            _ => Operation::ListPartners,
        };
        (organization, operation)
    });
    let load = deployment.load(&plan.connections(24));
    let journal = load.journal.clone();
    let (mut slowest, mut most_sessions) = (0, 0);
    let rounds = ROUNDS * factor();
    for _ in 0..rounds {
        let before = journal.passed_in_all();
        until("both replicas answer", async || {
            journal.passed_in_all() >= before + REQUESTS
        })
        .await;
        let failed = [0, 1].map(|replica| journal.failed(replica));
        let mut lock = deployment.behind.begin().await.unwrap();
        sqlx::query("LOCK TABLE partners IN ACCESS EXCLUSIVE MODE")
            .execute(&mut *lock)
            .await
            .unwrap();
        until("both replicas answer 503", async || {
            (0..2).all(|replica| journal.failed(replica) >= failed[replica] + FAILURES)
        })
        .await;
        most_sessions = most_sessions.max(sessions(&deployment).await);
        lock.rollback().await.unwrap();
        slowest = slowest.max(journal.recovered(Instant::now()).await);
    }
    let records = load.stop().await;
    most_sessions = most_sessions.max(sessions(&deployment).await);
    done("exhaustions", rounds);
    measured("most sessions of two servers", most_sessions);
    measured("slowest recovery in milliseconds", slowest);
    assert!(
        slowest < RECOVERY_MILLISECONDS,
        "{slowest} ms until a replica answered again"
    );
    assert!(
        most_sessions <= MOST_SESSIONS,
        "{most_sessions} sessions: connections are lost"
    );
    deployment.judge(&records, Faults::Pool).await;
}

async fn sessions(deployment: &Deployment) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'payout-server'",
    )
    .fetch_one(&deployment.behind)
    .await
    .unwrap()
}
