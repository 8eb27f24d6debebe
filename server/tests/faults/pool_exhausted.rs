//! A7 when no connection to the database is available: 503 with the envelope, the credit refunded,
//! and no connection lost. The pool has one connection for handlers, blocked by a lock.

use std::time::Instant;

use crate::support::{
    Deployment, Operation, Options, Plan,
    accounts::Faults,
    scale::{factor, report_max, report_sum},
};

/// Repetitions in the quick form.
const ROUNDS: u64 = 2;
const REQUESTS: u64 = 60;
/// Failed requests per replica and round: together more than [`MAX_SESSIONS`], so that one lost
/// connection each would show.
const FAILURES: u64 = 24;
/// The most sessions of two servers with one handler connection each, including admission's.
const MAX_SESSIONS: i64 = 60;
const RECOVERY_MILLISECONDS: u128 = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exhausted_pool_is_a_503_that_costs_no_credit_and_loses_no_connection() {
    let flags = &["--database-connections", "1", "--acquire-seconds", "1"];
    let deployment = Deployment::start(Options { flags, ..Options::default() }).await;
    // Lists and changes: they need a handler's connection, and the table that will be locked.
    let plan = Plan::of(|random, target| {
        let organization = random.usize(..target.organizations.len());
        let operation = match random.u8(..4) {
            0 => Operation::UpdatePartner(random.usize(..4)),
            _ => Operation::ListPartners,
        };
        (organization, operation)
    });
    let load = deployment.load(&Plan { clients: 24, ..plan });
    let journal = load.journal.clone();
    let (mut slowest, mut max_sessions) = (0, 0);
    let rounds = ROUNDS * factor();
    for _ in 0..rounds {
        journal.pass(REQUESTS).await;
        let mut lock = deployment.superuser_pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE partners IN ACCESS EXCLUSIVE MODE")
            .execute(&mut *lock)
            .await
            .unwrap();
        journal.fail(FAILURES).await;
        max_sessions = max_sessions.max(sessions(&deployment).await);
        lock.rollback().await.unwrap();
        slowest = slowest.max(journal.recovered(Instant::now()).await);
    }
    let records = load.stop().await;
    max_sessions = max_sessions.max(sessions(&deployment).await);
    report_sum("exhaustions", rounds);
    report_max("most sessions of two servers", max_sessions);
    report_max("slowest recovery in milliseconds", slowest);
    assert!(slowest < RECOVERY_MILLISECONDS, "{slowest} ms until a replica responded again");
    assert!(max_sessions <= MAX_SESSIONS, "{max_sessions} sessions: connections are lost");
    deployment.check_all(&records, Faults::Pool).await;
}

async fn sessions(deployment: &Deployment) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'payout-server'",
    )
    .fetch_one(&deployment.superuser_pool)
    .await
    .unwrap()
}
