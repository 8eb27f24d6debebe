//! Metrics of the process, and what no metric says. The suite cannot reach the health port;
//! `sessions` shows the metrics of requests.

use std::time::{SystemTime, UNIX_EPOCH};

use rust_decimal::Decimal;

use crate::support::{Key, TestServer, counted, dataset::*, until};

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

/// Each server counts when it starts, and every minute after that.
#[tokio::test]
async fn keys_that_expire_and_credits_that_run_out_are_counted() {
    let server = TestServer::start().await;
    // One key each that expires in 7 and in 30 days; the third is revoked, the fourth has expired.
    server
        .execute(
            "UPDATE api_keys
                SET expires_at = service_now() + make_interval(days =>
                        coalesce((ARRAY[7, 30, 3, 0])[numbered.n], 31)),
                    revoked_at = CASE WHEN numbered.n = 3 THEN service_now() END
               FROM (SELECT id, row_number() OVER (ORDER BY id)::integer AS n FROM api_keys)
                    AS numbered
              WHERE numbered.id = api_keys.id;
             UPDATE meters SET month_used = 0;
             INSERT INTO organizations (id, name)
             SELECT 'org_' || lpad(n::text, 26, '0'), 'used' FROM generate_series(1, 6) AS n;
             INSERT INTO meters
                    (organization_id, requests_per_minute, credits_per_month, month_used, month)
             SELECT 'org_' || lpad(n::text, 26, '0'), 1, credits, used, month::timestamptz
               FROM (VALUES (1, 1000, 799, '2026-06-01Z'), (2, 1000, 800, '2026-06-01Z'),
                            (3, 1000, 950, '2026-06-01Z'), (4, 1000, 1000, '2026-05-01Z'),
                            (5, 0, 0, '2026-06-01Z'), (6, NULL, 1000, '2026-06-01Z'))
                    AS meter (n, credits, used, month)",
        )
        .await;
    let fresh = server.replica().await;
    let expected = [
        ("payout_keys_expiring{days=\"7\"}", 1),
        ("payout_keys_expiring{days=\"30\"}", 2),
        ("payout_organizations_credits_used{percent=\"80\"}", 2),
        ("payout_organizations_credits_used{percent=\"95\"}", 1),
    ];
    until(async || {
        let metrics = fresh.metrics();
        expected.iter().all(|(name, count)| counted(&metrics, name) == *count)
    })
    .await;
}

#[tokio::test]
async fn age_of_the_link_keys_is_that_of_their_file() {
    let server = TestServer::start().await;
    let written = server.folder().join("link-keys").metadata().unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let shown = counted(&server.metrics(), "payout_link_keys_changed_time_seconds");
    assert_eq!(shown, written);
}
