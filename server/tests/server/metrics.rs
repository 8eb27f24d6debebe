//! Metrics for alerts: each exists before its first event and has a label for the kind of event.
//! The suite cannot reach the health port.

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use poem::http::Method;
use rust_decimal::Decimal;

use crate::support::{Key, TestServer, counted, dataset::*, until};

/// The number of responses of an operation.
fn responses(server: &TestServer, operation: &str, status: u16) -> u64 {
    let name = format!("payout_requests_total{{operation=\"{operation}\",status=\"{status}\"}}");
    counted(&server.metrics(), &name)
}

#[tokio::test]
async fn responses_are_counted_by_operation_and_no_tenant_is_named() {
    let server = TestServer::start().await;
    let made = server.statement(ONE_LINE).expect(200).await;
    let link = made.text_at("/data/downloadUrl");
    assert_eq!(server.follow(link).send().await.unwrap().status(), 200);
    std::fs::remove_dir_all(server.folder().join("assets").join(MAIN)).unwrap();
    assert_eq!(server.follow(link).send().await.unwrap().status(), 500);
    let docs = format!("{}/docs", server.base_url());
    assert_eq!(server.follow(&docs).send().await.unwrap().status(), 200);
    server.request(Method::GET, "/nowhere").expect(404).await;
    for (operation, status) in [
        ("generateStatement", 200),
        ("download", 200),
        ("download", 500),
        ("docs", 200),
        ("unknown", 404),
    ] {
        assert_eq!(responses(&server, operation, status), 1, "{operation} {status}");
    }
    let text = server.metrics();
    let durations = "payout_request_duration_seconds_count{operation=\"generateStatement\"}";
    assert_eq!(counted(&text, durations), 1);
    assert_eq!(counted(&text, "payout_requests_in_flight"), 0);
    for absent in ["\"none\"", MAIN, server.key(Key::MAIN), "127.0.0.1", "main"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
}

#[tokio::test]
async fn pools_show_connections_that_are_used_idle_and_waited_for() {
    let server = TestServer::start_with(|options| {
        options.database_connections = 1;
        options.acquire_seconds = 10;
    })
    .await;
    let pool = |state: &str| {
        let name = format!("connections{{pool=\"handlers\",state=\"{state}\"}}");
        counted(&server.metrics(), &format!("payout_database_{name}"))
    };
    let waiting = "payout_database_connections_waiting{pool=\"handlers\"}";
    let lock = format!("SELECT FROM commission_lines WHERE id = '{DETACHABLE}' FOR UPDATE");
    let lock = server.hold(lock).await;
    let detach = [(); 2].map(|()| tokio::spawn(server.detach(DETACHABLE).send()));
    let used_and_waiting = || (pool("in_use"), counted(&server.metrics(), waiting));
    until(async || used_and_waiting() == (1, 1)).await;
    lock.rollback().await.unwrap();
    join_all(detach).await;
    // The rejected one is rolled back after its response.
    until(async || used_and_waiting() == (0, 0)).await;
    assert_eq!(pool("idle"), 1);
}

#[tokio::test]
async fn statements_that_are_made_and_wait_are_shown() {
    let server = TestServer::start_with(|options| {
        options.statements.concurrent_renders = Some(1);
        options.statements.concurrent_renders_per_organization = Some(1);
    })
    .await;
    let renders = || {
        let metrics = server.metrics();
        ["running", "queued"].map(|state| counted(&metrics, &format!("payout_renders_{state}")))
    };
    let lock = server.hold("LOCK TABLE asset_intents IN ACCESS EXCLUSIVE MODE").await;
    let made = [ONE_LINE, FORTY_ONE].map(|payout| tokio::spawn(server.statement(payout).send()));
    until(async || renders() == [1, 1]).await;
    lock.rollback().await.unwrap();
    join_all(made).await;
    assert_eq!(renders(), [0, 0]);
}

#[tokio::test]
async fn process_and_program_are_shown() {
    let server = TestServer::start().await;
    let metrics = server.metrics();
    let value = |name: &str| -> Decimal {
        let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let age = Decimal::from(now.as_secs()) + Decimal::ONE - value("process_start_time_seconds");
    assert!(age > Decimal::ZERO && age < Decimal::from(3_600), "{age} s");
    assert!(value("process_cpu_seconds_total") > Decimal::ZERO);
    if cfg!(target_os = "linux") {
        assert!(value("process_resident_memory_bytes") > Decimal::from(1_000_000));
        assert!(value("process_open_fds") > Decimal::from(3));
    }
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(counted(&metrics, &format!("payout_build_info{{version=\"{version}\"}}")), 1);
}
