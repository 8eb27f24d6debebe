//! `record`, `run --baseline` and `compare` at a deployment that is not ours.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::{TARGET, server};

/// A part of the query of each link.
const SIGNATURE: &str = "signature=";

struct Deployment {
    folder: TempDir,
}

impl Deployment {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base_url = server::start(folder.path().to_owned()).await;
        let target = TARGET.replace("{base_url}", &base_url);
        fs::write(folder.path().join("target.toml"), target).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn suite(&self, command_name: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payout-conformance"));
        command.arg(command_name).arg("--target").arg(self.path("target.toml"));
        command.args(["--decisions", "off"]).args(arguments);
        let target: toml::Table = TARGET.parse().unwrap();
        for (role, variable) in target["keys"].as_table().unwrap() {
            command.env(variable.as_str().unwrap(), server::key(role));
        }
        command.output().await.unwrap()
    }

    async fn record(&self) -> Output {
        let baseline = self.path("baseline").display().to_string();
        self.suite("record", &["--pause", "0", "--baseline", &baseline]).await
    }

    /// Runs without changes against the baseline; returns the exit status and the comparison.
    async fn compare(&self, flags: &[&str]) -> (Option<i32>, Value) {
        let [baseline, report] =
            ["baseline", "report.json"].map(|name| self.path(name).display().to_string());
        let mut arguments = vec!["--read-only", "--baseline", &baseline, "--json", &report];
        arguments.extend(flags);
        let output = self.suite("run", &arguments).await;
        let text = fs::read_to_string(&report).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        (output.status.code(), report["comparison"].clone())
    }
}

/// The sentences of differences or additions.
fn sentences(comparison: &Value, list: &str) -> Vec<String> {
    let groups = comparison[list].as_array().unwrap().iter();
    groups.map(|group| group["what"].as_str().unwrap().to_owned()).collect()
}

/// Every file of a folder and of those within.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_deployment_answers_as_its_baseline_and_each_change_is_named() {
    let deployment = Deployment::start().await;
    let output = deployment.record().await;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text} {:?}", output.stderr);
    assert!(text.contains(" responses of ") && text.contains(" cases in "), "{text}");
    for path in files(&deployment.path("baseline")) {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.display();
        assert!(!text.contains("-7f3b9c1d") && !text.contains(SIGNATURE), "{path}: {text}");
    }
    for compare in ["form", "stable", "values"] {
        let (status, comparison) = deployment.compare(&["--compare", compare, "--strict"]).await;
        assert_eq!(sentences(&comparison, "differences"), [""; 0], "{compare}");
        assert_eq!(sentences(&comparison, "additions"), [""; 0], "{compare}");
        assert_eq!(status, Some(0));
        assert!(comparison["responses"].as_u64().unwrap() > 100, "{comparison}");
    }
    // What the document allows, as additions or as differences that say so.
    let (status, comparison) = deployment.compare(&["--through", "allowed-more-headers"]).await;
    assert_eq!((status, sentences(&comparison, "differences").len()), (Some(0), 0));
    assert!(!sentences(&comparison, "additions").is_empty());
    let (status, comparison) = deployment.compare(&["--through", "allowed-other-messages"]).await;
    let found = sentences(&comparison, "differences");
    assert!(!found.is_empty() && found.iter().all(|what| what.starts_with("error.message is")));
    // The deployment has statuses of its own, of which the document says nothing.
    let mut groups = comparison["differences"].as_array().unwrap().iter();
    assert!(groups.clone().any(|group| group["stance"] == "allowed"), "{found:?}");
    assert!(groups.all(|group| group["stance"] != "not-allowed"), "{found:?}");
    assert_eq!(status, Some(1));
    let shown = ["--through", "allowed-other-messages", "--compare", "form"];
    assert_eq!(sentences(&deployment.compare(&shown).await.1, "differences"), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_deployments_are_compared_in_one_run_without_their_own_noise() {
    let (one, other) = (Deployment::start().await, Deployment::start().await);
    let report = one.path("report.json").display().to_string();
    let other = other.path("target.toml").display().to_string();
    let arguments = ["--with", &other, "--pause", "0", "--compare", "form", "--json", &report];
    let output = one.suite("compare", &arguments).await;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(sentences(&report["comparison"], "differences"), [""; 0]);
    assert!(text.contains("responses were compared by form, without a difference."), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_that_is_no_baseline_is_refused_before_the_first_request() {
    let deployment = Deployment::start().await;
    fs::create_dir(deployment.path("baseline")).unwrap();
    fs::write(deployment.path("baseline/notes.txt"), "mine").unwrap();
    let output = deployment.record().await;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("error: ") && errors.contains("holds something else"), "{errors}");
    assert_eq!(files(&deployment.path("baseline")).len(), 1);
}
