//! A statement that does not end, and connections and locks that are late or unavailable. `faults`
//! tests a lock on one row.

use sqlx::{PgPool, Postgres, Transaction};

use crate::support::{
    Key, TestServer,
    dataset::{MAIN, ONE_LINE},
    operator,
};

fn path() -> String {
    format!("/api/v1/payouts/{ONE_LINE}")
}

/// Locks the payouts until the transaction ends.
async fn lock_payouts(superuser_pool: &PgPool) -> Transaction<'static, Postgres> {
    let mut lock = superuser_pool.begin().await.unwrap();
    sqlx::query("LOCK TABLE payouts IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
    lock
}

#[tokio::test]
async fn statement_that_runs_for_too_long_is_a_503_that_costs_no_credit() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    sqlx::raw_sql(
        "ALTER TABLE payouts RENAME TO payouts_away;
         CREATE VIEW payouts WITH (security_invoker = true) AS SELECT payouts_away.*
           FROM payouts_away, pg_sleep(60);
         GRANT SELECT ON payouts TO PUBLIC",
    )
    .execute(&superuser_pool)
    .await
    .unwrap();
    let path = path();
    let response = server.get(Key::MAIN, &path).expect(503).await;
    assert_eq!(response.code(), "SERVICE_UNAVAILABLE");
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0);
}

#[tokio::test]
async fn request_that_gets_no_connection_is_a_503_that_costs_no_credit() {
    let server = TestServer::start_with(|options| options.database_connections = 1).await;
    let superuser_pool = server.superuser().await;
    let lock = lock_payouts(&superuser_pool).await;
    let path = path();
    // One waits for the lock with the only connection, the other one for that connection.
    let (one, other) = tokio::join!(
        server.get(Key::MAIN, &path).expect(503),
        server.get(Key::MAIN, &path).expect(503)
    );
    assert_eq!(one.code(), other.code());
    lock.rollback().await.unwrap();
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0);
}

#[tokio::test]
async fn lock_that_is_free_within_lock_seconds_is_waited_for() {
    // Longer than the default, which would end this wait.
    let server = TestServer::start_with(|options| {
        options.lock_seconds = 14;
        options.query_seconds = 14;
    })
    .await;
    let superuser_pool = server.superuser().await;
    let lock = lock_payouts(&superuser_pool).await;
    let path = path();
    let waiting = tokio::spawn(server.get(Key::MAIN, &path).expect(200));
    // Until it has waited longer than by default, as PostgreSQL reports it.
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                 AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > '1100 ms')";
    let waits = || sqlx::query_scalar::<_, bool>(waits).fetch_one(&superuser_pool);
    while !waits().await.unwrap() {
        tokio::task::yield_now().await;
    }
    lock.rollback().await.unwrap();
    waiting.await.unwrap();
}
