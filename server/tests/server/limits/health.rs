//! The health port: liveness, readiness, and metrics.

use std::time::Duration;

use payout_database::SessionLimits;
use payout_server::{
    http::{health::Health, listener::Bound},
    telemetry::{Metrics, Telemetry},
};
use poem::http::Method;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::client::within;
use crate::support::{Key, TestServer, dataset::MAIN};

/// The health port of a server.
struct Port {
    health: Health,
    base_url: String,
}

impl Port {
    async fn open(server: &TestServer, metrics: Metrics) -> Self {
        let health =
            Health::new(server.database.app_url(), SessionLimits::default(), metrics).unwrap();
        let bound = Bound::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let base_url = format!("http://{}", bound.address());
        let (served, never) = (health.clone(), std::future::pending());
        tokio::spawn(bound.serve(served, never, Health::limits(), Telemetry::default()));
        Self { health, base_url }
    }

    async fn get(&self, server: &TestServer, path: &str) -> (u16, String) {
        let url = format!("{}{path}", self.base_url);
        let response = server.follow(&url).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn readiness(&self, server: &TestServer) -> (u16, Value) {
        let (status, text) = self.get(server, "/readyz").await;
        (status, serde_json::from_str(&text).unwrap())
    }

    async fn becomes(&self, server: &TestServer, expected: (u16, Value)) {
        let becomes = async {
            while self.readiness(server).await != expected {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        within(becomes).await;
    }
}

fn ready() -> (u16, Value) {
    (200, json!({ "status": "ready" }))
}

fn unready(reason: &str) -> (u16, Value) {
    (503, json!({ "status": "unready", "reason": reason }))
}

#[tokio::test]
async fn server_is_alive_and_ready_until_it_drains() {
    let server = TestServer::start().await;
    let port = Port::open(&server, Metrics::default()).await;
    assert_eq!(port.readiness(&server).await, ready());
    port.health.drain();
    assert_eq!(port.readiness(&server).await, unready("draining"));
    assert_eq!(port.get(&server, "/livez").await, (200, r#"{"status":"alive"}"#.to_owned()));
    assert_eq!(port.get(&server, "/api/v1/partners").await.0, 404);
}

#[tokio::test]
async fn server_is_not_ready_while_its_database_is_away() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let port = Port::open(&server, Metrics::default()).await;
    assert_eq!(port.readiness(&server).await, ready());
    let name = server.database.name();
    let limit = |connections: &str| {
        AssertSqlSafe(format!(
            "ALTER DATABASE {name} CONNECTION LIMIT {connections};
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = 'payout-server'"
        ))
    };
    sqlx::raw_sql(limit("0")).execute(&superuser_pool).await.unwrap();
    port.becomes(&server, unready("the database does not answer")).await;
    assert_eq!(port.get(&server, "/livez").await.0, 200);
    assert!(port.get(&server, "/metrics").await.1.contains("payout_database_up 0\n"));
    sqlx::raw_sql(limit("-1")).execute(&superuser_pool).await.unwrap();
    port.becomes(&server, ready()).await;
    assert!(port.get(&server, "/metrics").await.1.contains("payout_database_up 1\n"));
}

#[tokio::test]
async fn server_is_not_ready_while_its_database_is_read_only() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let port = Port::open(&server, Metrics::default()).await;
    let name = server.database.name();
    let read_only = |value: &str| {
        AssertSqlSafe(format!(
            "ALTER DATABASE {name} SET default_transaction_read_only = {value};
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = 'payout-server'"
        ))
    };
    sqlx::raw_sql(read_only("on")).execute(&superuser_pool).await.unwrap();
    let reason = "the database is read-only (default_transaction_read_only of the server, the \
                  database or the role)";
    port.becomes(&server, unready(reason)).await;
    sqlx::raw_sql(read_only("off")).execute(&superuser_pool).await.unwrap();
    port.becomes(&server, ready()).await;
}

#[tokio::test]
async fn server_is_ready_on_a_newer_schema_and_not_on_an_older_one() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let port = Port::open(&server, Metrics::default()).await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum,
                                                execution_time)
                 VALUES (9999, 'later', true, '', 0)";
    sqlx::raw_sql(newer).execute(&superuser_pool).await.unwrap();
    assert_eq!(port.readiness(&server).await, ready());
    let older = "DELETE FROM _sqlx_migrations";
    sqlx::raw_sql(older).execute(&superuser_pool).await.unwrap();
    port.becomes(&server, unready("the database has another schema version")).await;
}

#[tokio::test]
async fn replica_starts_on_a_newer_schema() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum,
                                                execution_time)
                 VALUES (9999, 'later', true, '', 0)";
    sqlx::raw_sql(newer).execute(&superuser_pool).await.unwrap();
    let replica = server.replica().await;
    let key = server.key(Key::MAIN);
    let list = replica.request(Method::GET, "/api/v1/partners", key);
    list.expect(200).await;
}

#[tokio::test]
async fn metrics_count_what_was_answered_and_name_no_tenant() {
    let server = TestServer::start().await;
    let response = server.get(Key::MAIN, "/api/v1/partners?limit=1");
    response.expect(200).await;
    server.get(Key::MAIN, "/nowhere").expect(404).await;
    let text = server.metrics();
    for line in [
        r#"payout_requests_total{operation="listPartners",status="200"} 1"#,
        r#"payout_requests_total{operation="unknown",status="404"} 1"#,
        r#"payout_request_duration_seconds_count{operation="listPartners"} 1"#,
        "payout_requests_in_flight 0",
        "payout_connections_open 1",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    for secret in [MAIN, server.key(Key::MAIN), "127.0.0.1", "main"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    let port = Port::open(&server, Metrics::default()).await;
    let (status, text) = port.get(&server, "/metrics").await;
    assert_eq!(status, 200);
    assert!(text.ends_with("# EOF\n"), "{text}");
}
