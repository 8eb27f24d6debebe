//! Test databases: created without set-up, isolated, and dropped afterwards.

use std::time::Duration;

use payout_database::{SessionLimits, TestDatabase, app_connect_options, end_after};
use sqlx::{Connection as _, PgConnection};

use crate::{as_app, as_owner};

async fn clock(connection: &mut PgConnection) -> String {
    sqlx::query_scalar("SELECT payout.service_now()::text").fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn clock_stops_in_one_database_only() {
    let (stopped, running) = (TestDatabase::create().await, TestDatabase::create().await);
    // Connected, and the statement prepared, before the clock is set, as in a running server.
    let (mut in_stopped, mut in_running) = (as_app(&stopped).await, as_app(&running).await);
    let before = clock(&mut in_running).await;
    assert_ne!(clock(&mut in_stopped).await, "2031-02-01 00:00:00+00");

    stopped.set_clock("2031-02-01T01:00:00+01:00").await.unwrap();
    assert_eq!(clock(&mut in_stopped).await, "2031-02-01 00:00:00+00");
    assert!(clock(&mut in_running).await >= before);
    assert!(clock(&mut in_running).await.as_str() < "2031");

    stopped.advance_clock(Duration::from_millis(1500)).await.unwrap();
    assert_eq!(clock(&mut in_stopped).await, "2031-02-01 00:00:01.5+00");
}

#[tokio::test]
async fn clock_rejects_what_is_no_instant() {
    let database = TestDatabase::create().await;
    assert!(database.set_clock("'; DROP SCHEMA payout; --").await.is_err());
    assert!(clock(&mut as_app(&database).await).await.starts_with("20"));
}

#[tokio::test]
async fn dropping_removes_the_database_even_while_it_is_in_use() {
    let (dropped, other) = (TestDatabase::create().await, TestDatabase::create().await);
    let mut left_open = as_app(&dropped).await;
    let name = dropped.name().to_owned();
    drop(dropped);
    let exists: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
            .bind(&name)
            .fetch_one(&mut as_owner(&other).await)
            .await
            .unwrap();
    assert!(!exists, "{name}");
    assert!(left_open.ping().await.is_err());
}

/// Time zone, timeouts of a statement, a lock and an idle transaction, and the search path.
async fn settings(connection: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT ARRAY[current_setting('TimeZone'), current_setting('statement_timeout'),
                      current_setting('lock_timeout'),
                      current_setting('idle_in_transaction_session_timeout'),
                      current_setting('search_path')]",
    )
    .fetch_one(connection)
    .await
    .unwrap()
}

#[tokio::test]
async fn app_connections_have_the_limits_from_their_first_statement_on() {
    let database = TestDatabase::create().await;
    let values = settings(&mut as_app(&database).await).await;
    assert_eq!(values, ["UTC", "5s", "1s", "10s", "payout"]);

    let usual = app_connect_options(database.app_url()).unwrap();
    let others =
        SessionLimits { statement: Duration::from_secs(7), lock: Duration::from_millis(2_500) };
    let connected = PgConnection::connect_with(&end_after(usual, others)).await;
    let values = settings(&mut connected.unwrap()).await;
    assert_eq!(values, ["UTC", "7s", "2500ms", "10s", "payout"]);
}

#[tokio::test]
async fn app_role_cannot_change_the_schema() {
    let database = TestDatabase::create().await;
    let mut connection = as_app(&database).await;
    for statement in [
        "CREATE TABLE payout.mine (id int)",
        "CREATE SCHEMA mine",
        "CREATE TEMPORARY TABLE mine (id int)",
        "ALTER TABLE payout.partners DISABLE ROW LEVEL SECURITY",
        "DELETE FROM payout._sqlx_migrations",
    ] {
        let rejected = sqlx::query(statement).execute(&mut connection).await;
        let error = rejected.expect_err(statement);
        let code = error.as_database_error().and_then(|error| error.code()).unwrap();
        assert_eq!(code, "42501", "{statement}");
    }
}
