//! Metrics for alerts: each exists before its first event and has a label for the kind of event.
//! The suite cannot reach the health port.

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use poem::http::Method;
use rust_decimal::Decimal;
use sqlx::AssertSqlSafe;

use crate::{
    limits::client::{counted, until},
    support::{Key, TestServer, dataset::*, operator},
};

const PATH: &str = "/api/v1/partners?limit=1";

fn rejected(kind: &str) -> String {
    format!("payout_requests_rejected_total{{kind=\"{kind}\"}}")
}

fn unavailable(cause: &str) -> String {
    format!("payout_requests_unavailable_total{{cause=\"{cause}\"}}")
}

fn responses(operation: &str, status: u16) -> String {
    format!("payout_requests_total{{operation=\"{operation}\",status=\"{status}\"}}")
}

#[tokio::test]
async fn counters_of_what_alerts_look_for_begin_with_0() {
    let server = TestServer::start().await;
    let metrics = server.metrics();
    for kind in ["key", "minute", "credits", "scope", "anonymous"] {
        assert_eq!(counted(&metrics, &rejected(kind)), 0);
    }
    for cause in ["overload", "timeout", "database", "storage", "other"] {
        assert_eq!(counted(&metrics, &unavailable(cause)), 0);
    }
    for operation in ["listPartners", "generateStatement", "createPayoutBatch", "download"] {
        for status in [500, 503] {
            assert_eq!(counted(&metrics, &responses(operation, status)), 0);
        }
    }
}

#[tokio::test]
async fn each_rejection_is_counted_by_its_kind() {
    let server = TestServer::start_with(|options| options.anonymous_requests_per_minute = 2).await;
    server.request(Method::GET, PATH).expect(401).await;
    server.get(Key("main", "affiliate-write"), PATH).expect(403).await;
    operator::set_limits(&server, MAIN, 1000, Some(0)).await;
    server.get(Key::MAIN, PATH).expect(402).await;
    operator::set_limits(&server, MAIN, 1, None).await;
    server.get(Key::MAIN, PATH).expect(429).await;
    server.get(Key::MAIN, "/nowhere").expect(404).await;
    server.request(Method::GET, PATH).expect(429).await;
    let metrics = server.metrics();
    for kind in ["key", "minute", "credits", "scope", "anonymous"] {
        assert_eq!(counted(&metrics, &rejected(kind)), 1, "{kind}");
    }
}

#[tokio::test]
async fn downloads_documents_and_unknown_paths_are_operations_of_their_own() {
    let server = TestServer::start().await;
    let made = server.statement(ONE_LINE).expect(200).await;
    let link = made.body["data"]["downloadUrl"].as_str().unwrap().to_owned();
    assert_eq!(server.follow(&link).send().await.unwrap().status(), 200);
    std::fs::remove_dir_all(server.folder().join("assets").join(MAIN)).unwrap();
    assert_eq!(server.follow(&link).send().await.unwrap().status(), 500);
    let docs = format!("{}/docs", server.base_url());
    assert_eq!(server.follow(&docs).send().await.unwrap().status(), 200);
    server.request(Method::GET, "/nowhere").expect(404).await;
    let metrics = server.metrics();
    for (operation, status) in
        [("download", 200), ("download", 500), ("docs", 200), ("unknown", 404)]
    {
        assert_eq!(counted(&metrics, &responses(operation, status)), 1, "{operation} {status}");
    }
    assert!(!metrics.contains("\"none\""), "{metrics}");
}

#[tokio::test]
async fn database_that_admits_no_request_is_a_cause_of_503() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    sqlx::raw_sql("ALTER TABLE meters RENAME TO away").execute(&superuser_pool).await.unwrap();
    server.get(Key::MAIN, PATH).expect(503).await;
    assert_eq!(counted(&server.metrics(), &unavailable("database")), 1);
}

#[tokio::test]
async fn failure_of_the_store_is_counted_by_its_operation() {
    let server = TestServer::start().await;
    let errors = |operation: &str| {
        let name = format!("payout_storage_errors_total{{operation=\"{operation}\"}}");
        counted(&server.metrics(), &name)
    };
    let folder = server.folder().join("assets").join(MAIN);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file where a folder should be").unwrap();
    server.statement(ONE_LINE).expect(500).await;
    assert_eq!((errors("put"), errors("get"), errors("delete"), errors("list")), (1, 0, 0, 0));
}

#[tokio::test]
async fn pools_show_connections_that_are_used_idle_and_waited_for() {
    let server = TestServer::start_with(|options| {
        options.database_connections = 1;
        options.acquire_seconds = 10;
    });
    let server = server.await;
    let superuser_pool = server.superuser().await;
    let pool =
        |state: &str| format!("payout_database_connections{{pool=\"handlers\",state=\"{state}\"}}");
    let waiting = "payout_database_connections_waiting{pool=\"handlers\"}";
    let mut lock = superuser_pool.begin().await.unwrap();
    let locked = format!("SELECT 1 FROM commission_lines WHERE id = '{DETACHABLE}' FOR UPDATE");
    sqlx::raw_sql(AssertSqlSafe(locked)).execute(&mut *lock).await.unwrap();
    let detach = [(); 2].map(|()| tokio::spawn(server.detach(DETACHABLE).send()));
    let used_and_waiting = || {
        let metrics = server.metrics();
        (counted(&metrics, &pool("in_use")), counted(&metrics, waiting))
    };
    until(|| used_and_waiting() == (1, 1)).await;
    lock.rollback().await.unwrap();
    let detached = join_all(detach).await.into_iter().map(|response| response.unwrap().status);
    let mut detached: Vec<_> = detached.collect();
    detached.sort();
    assert_eq!(detached, [200, 422]);
    // The rejected one is rolled back after its response.
    until(|| used_and_waiting() == (0, 0)).await;
    assert_eq!(counted(&server.metrics(), &pool("idle")), 1);
}

#[tokio::test]
async fn statements_that_are_made_and_wait_are_shown() {
    let server = TestServer::start_with(|options| {
        options.statements.concurrent_renders = Some(1);
        options.statements.concurrent_renders_per_organization = Some(1);
    });
    let server = server.await;
    let superuser_pool = server.superuser().await;
    let mut lock = superuser_pool.begin().await.unwrap();
    let locked = "LOCK TABLE asset_intents IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(locked).execute(&mut *lock).await.unwrap();
    let made = [ONE_LINE, FORTY_ONE].map(|payout| tokio::spawn(server.statement(payout).send()));
    until(|| counted(&server.metrics(), "payout_renders_queued") == 1).await;
    assert_eq!(counted(&server.metrics(), "payout_renders_running"), 1);
    lock.rollback().await.unwrap();
    for response in made {
        response.await.unwrap();
    }
    let metrics = server.metrics();
    assert_eq!(counted(&metrics, "payout_renders_queued"), 0);
    assert_eq!(counted(&metrics, "payout_renders_running"), 0);
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
