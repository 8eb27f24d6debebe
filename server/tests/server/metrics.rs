//! Metrics of the process, and what no metric says. The suite cannot reach the health port;
//! `sessions` shows the metrics of requests.

use std::time::{SystemTime, UNIX_EPOCH};

use rust_decimal::Decimal;

use crate::support::{Key, TestServer, counted, dataset::*};

#[tokio::test]
async fn no_tenant_is_named() {
    let server = TestServer::start().await;
    let made = server.statement(ONE_LINE).expect(200).await;
    server.follow(made.text_at("/data/downloadUrl")).send().await.unwrap();
    let text = server.metrics();
    assert!(text.contains("{operation=\"generateStatement\",status=\"200\"} 1\n"), "{text}");
    for absent in ["\"none\"", MAIN, server.key(Key::MAIN), "127.0.0.1", "main"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
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
