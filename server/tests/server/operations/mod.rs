//! `server/operations/`: alerts, dashboard and their page agree with each other, and with the
//! metrics of a server that has served no request yet.

mod dashboard;
mod selectors;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde::{Deserialize, de::DeserializeOwned};

use self::selectors::{Series, faults};
use crate::{session::health_port, support::TestServer};

const PAGE: &str = include_str!("../../../OPERATIONS.md");
/// Anchors of the page are below it.
const PAGE_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/server/OPERATIONS.md");

#[derive(Deserialize)]
struct Rules {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    rules: Vec<Alert>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alert {
    alert: String,
    expr: String,
    #[expect(dead_code, reason = "promtool reads it")]
    r#for: Option<String>,
    #[expect(dead_code, reason = "reading it is the check")]
    labels: Labels,
    annotations: Annotations,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    #[expect(dead_code, reason = "reading it is the check")]
    severity: Severity,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Page,
    Ticket,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Annotations {
    summary: String,
    description: String,
    runbook_url: String,
}

#[derive(Deserialize)]
struct RuleTests {
    tests: Vec<RuleTest>,
}

#[derive(Deserialize)]
struct RuleTest {
    promql_expr_test: Vec<Case>,
}

/// A query, and the series that it must return.
#[derive(Deserialize)]
struct Case {
    expr: String,
    exp_samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    labels: String,
}

impl RuleTest {
    /// Returns true if the alert fires at one time of the test, and not at another.
    fn shows(&self, alert: &str) -> bool {
        let alert = format!("alertname=\"{alert}\"");
        let cases = self.promql_expr_test.iter().filter(|case| case.expr.contains("ALERTS"));
        let fires = |case: &Case| case.exp_samples.iter().any(|one| one.labels.contains(&alert));
        cases.clone().any(fires) && !cases.clone().all(fires)
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("operations").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_saphyr::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn alerts() -> Vec<Alert> {
    let rules: Rules = read("alerts.yaml");
    rules.groups.into_iter().flat_map(|group| group.rules).collect()
}

/// What Prometheus reads from the health port of this server.
async fn scraped(server: &TestServer) -> Vec<Series> {
    let (_, url) = health_port(server).await;
    let answer = server.follow(&format!("{url}/metrics")).send().await.unwrap();
    selectors::series(&answer.text().await.unwrap())
}

#[tokio::test]
async fn rules_and_panels_select_metrics_and_labels_that_a_server_has() {
    let server = TestServer::start().await;
    let series = scraped(&server).await;
    let rules = alerts().into_iter().map(|alert| (alert.alert, alert.expr));
    let queries: Vec<_> = rules.chain(dashboard::queries()).collect();
    assert!(queries.len() > 40, "{queries:?}");
    let found = queries.iter().flat_map(|(name, query)| {
        faults(query, &series).into_iter().map(move |fault| format!("{name}: {fault}\n"))
    });
    let found: String = found.collect();
    assert!(found.is_empty(), "{found}");
}

#[test]
fn every_alert_has_a_paragraph_and_every_paragraph_an_alert() {
    let (_, section) = PAGE.split_once("\n## Alerts\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut paragraphs = BTreeSet::new();
    for part in section.split("\n### ").skip(1) {
        let (name, paragraph) = part.split_once('\n').unwrap();
        assert!(paragraph.trim().contains(' '), "OPERATIONS.md says nothing of {name}");
        assert!(paragraphs.insert(name.to_owned()), "OPERATIONS.md has {name} twice");
    }
    let alerts = alerts();
    let names: BTreeSet<String> = alerts.iter().map(|alert| alert.alert.clone()).collect();
    assert_eq!(names.len(), alerts.len(), "alerts.yaml has an alert twice");
    let lone: Vec<&String> = names.symmetric_difference(&paragraphs).collect();
    assert!(lone.is_empty(), "alerts.yaml or OPERATIONS.md, \"Alerts\", lacks {lone:?}");
    for Alert { alert, annotations, .. } in alerts {
        let anchor = format!("{PAGE_URL}#{}", alert.to_lowercase());
        assert_eq!(annotations.runbook_url, anchor, "{alert}");
        assert!(!annotations.summary.is_empty() && annotations.description.ends_with('.'));
    }
}

#[test]
fn every_alert_is_tested_to_fire_and_to_stay_silent() {
    let RuleTests { tests } = read("alerts_test.yaml");
    for Alert { alert, .. } in alerts() {
        let is_shown = tests.iter().any(|test| test.shows(&alert));
        assert!(is_shown, "no test of alerts_test.yaml has {alert} fire and stay silent");
    }
}

#[test]
fn promtool_accepts_rules_their_tests_and_the_example() {
    for arguments in [
        ["check", "rules", "alerts.yaml"],
        ["test", "rules", "alerts_test.yaml"],
        ["check", "config", "prometheus.yaml"],
    ] {
        let promtool = Command::new("promtool").args(arguments).current_dir(file("")).output();
        let output = match promtool {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!(
                    "SKIPPED: promtool is not installed; on Debian: apt-get install prometheus"
                );
                return;
            }
            started => started.unwrap(),
        };
        let [stdout, stderr] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "promtool {arguments:?}: {stdout}{stderr}");
    }
}
