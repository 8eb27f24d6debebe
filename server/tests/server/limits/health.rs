//! The health port: liveness, readiness, and metrics.

use std::time::Duration;

use payout_database::SessionLimits;
use payout_server::{
    http::{health::Health, listener::Bound},
    telemetry::{Metrics, Telemetry},
};
use serde_json::{Value, json};

use crate::support::{Key, TestServer, within};

/// A migration that a later version brings.
const LATER: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum,
                                                   execution_time)
                     VALUES (9999, 'later', true, '', 0)";

/// The health port of a server.
struct Port<'a> {
    server: &'a TestServer,
    health: Health,
    base_url: String,
}

impl<'a> Port<'a> {
    async fn open(server: &'a TestServer) -> Self {
        let (url, limits) = (server.database.app_url(), SessionLimits::default());
        let health = Health::new(url, limits, Metrics::default()).unwrap();
        let bound = Bound::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let base_url = format!("http://{}", bound.address());
        let (served, never) = (health.clone(), std::future::pending());
        tokio::spawn(bound.serve(served, never, Health::limits(), Telemetry::default()));
        Self { server, health, base_url }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let response = self.server.follow(&format!("{}{path}", self.base_url)).send().await;
        let response = response.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn becomes(&self, status: u16, body: Value) {
        let is_it = |(other, text): (u16, String)| {
            (other, serde_json::from_str(&text).ok()) == (status, Some(body.clone()))
        };
        let becomes = async {
            while !is_it(self.get("/readyz").await) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        within(becomes).await;
    }

    async fn becomes_ready(&self) {
        self.becomes(200, json!({ "status": "ready" })).await;
    }

    async fn becomes_unready(&self, reason: &str) {
        self.becomes(503, json!({ "status": "unready", "reason": reason })).await;
    }
}

#[tokio::test]
async fn server_is_alive_and_ready_until_it_drains() {
    let server = TestServer::start().await;
    let port = Port::open(&server).await;
    port.becomes_ready().await;
    port.health.drain();
    port.becomes_unready("draining").await;
    assert_eq!(port.get("/livez").await, (200, r#"{"status":"alive"}"#.to_owned()));
    assert_eq!(port.get("/api/v1/partners").await.0, 404);
    let (status, text) = port.get("/metrics").await;
    assert!(status == 200 && text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test]
async fn server_is_not_ready_while_its_database_is_away_or_read_only() {
    let server = TestServer::start().await;
    let port = Port::open(&server).await;
    port.becomes_ready().await;
    server.disconnect("CONNECTION LIMIT 0").await;
    port.becomes_unready("the database does not answer").await;
    assert_eq!(port.get("/livez").await.0, 200);
    assert!(port.get("/metrics").await.1.contains("payout_database_up 0\n"));
    server.disconnect("CONNECTION LIMIT -1").await;
    port.becomes_ready().await;
    assert!(port.get("/metrics").await.1.contains("payout_database_up 1\n"));

    server.disconnect("SET default_transaction_read_only = on").await;
    let reason = "the database is read-only (default_transaction_read_only of the server, the \
                  database or the role)";
    port.becomes_unready(reason).await;
    server.disconnect("SET default_transaction_read_only = off").await;
    port.becomes_ready().await;
}

#[tokio::test]
async fn server_is_ready_and_starts_on_a_newer_schema_and_not_on_an_older_one() {
    let server = TestServer::start().await;
    let port = Port::open(&server).await;
    server.execute(LATER).await;
    port.becomes_ready().await;
    let replica = server.replica().await;
    replica.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    server.execute("DELETE FROM _sqlx_migrations").await;
    port.becomes_unready("the database has another schema version").await;
}
