//! `assets verify`, and the marker that binds a store to its database.

use std::{fs, path::PathBuf};

use crate::support::{Deployment, errors};

const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
const UPLOADED: &str = "pay_01JV3N8Q5R000000000000000D";

/// Creates a deployment with two uploaded PDFs and a store without a marker.
async fn seeded() -> Deployment {
    let deployment = Deployment::create().await;
    deployment.devdata(&["seed"]).await;
    deployment
}

fn store(deployment: &Deployment) -> PathBuf {
    deployment.folder.path().join("assets")
}

/// Commands that use the store, which must be this database's.
const COMMANDS: [&[&str]; 4] = [
    &["serve", "--listen", "127.0.0.1:0"],
    &["assets", "sweep"],
    &["assets", "verify"],
    &["assets", "verify", "--repair"],
];

fn rejected_by_all(deployment: &Deployment, expected: &str) {
    for command in COMMANDS {
        let error = deployment.reject(1, command);
        assert!(error.contains(expected), "{command:?}: {error}");
        assert!(error.contains("payout-server assets verify --bind"), "{command:?}: {error}");
    }
}

async fn has_its_marker(deployment: &Deployment) {
    let id = deployment.value("SELECT id FROM payout.database_identity").await;
    let marker = fs::read_to_string(store(deployment).join("database-id")).unwrap();
    assert_eq!(marker, format!("{id}\n"));
}

#[tokio::test]
async fn new_store_of_a_database_without_pdfs_gets_the_marker() {
    let deployment = Deployment::create().await;
    let verified = deployment.run(&["assets", "verify"]);
    assert_eq!(verified, "0 PDFs verified, 0 damaged\n");
    has_its_marker(&deployment).await;
    deployment.run(&["assets", "verify"]);
}

#[tokio::test]
async fn store_from_before_markers_gets_one_if_it_has_the_newest_pdfs() {
    let deployment = seeded().await;
    assert!(!store(&deployment).join("database-id").exists());
    let verified = deployment.run(&["assets", "verify"]);
    assert!(verified.starts_with("2 PDFs verified, 0 damaged; the last is org_"), "{verified}");
    has_its_marker(&deployment).await;
}

#[tokio::test]
async fn unmounted_volume_is_no_empty_store() {
    let deployment = seeded().await;
    deployment.run(&["assets", "verify"]);
    let (folder, away) = (store(&deployment), deployment.folder.path().join("away"));
    fs::rename(&folder, &away).unwrap();
    rejected_by_all(&deployment, "does not exist, but the database has PDFs");
    assert!(!folder.exists(), "it is not created");
    fs::create_dir(&folder).unwrap();
    rejected_by_all(&deployment, "is this an unmounted volume?");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is written to it");
    fs::remove_dir(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    deployment.run(&["assets", "verify"]);
}

#[tokio::test]
async fn store_of_another_database_is_rejected_until_it_is_bound() {
    let deployment = seeded().await;
    fs::write(store(&deployment).join("database-id"), "another\n").unwrap();
    rejected_by_all(
        &deployment,
        "belongs to another database: its marker database-id says \"another\"",
    );
    deployment.run(&["assets", "verify", "--bind"]);
    has_its_marker(&deployment).await;
    deployment.run(&["assets", "sweep"]);
}

#[tokio::test]
async fn lost_store_is_replaced_by_an_empty_one_by_name() {
    let deployment = seeded().await;
    fs::remove_dir_all(store(&deployment)).unwrap();
    let output = deployment.command(&["assets", "verify", "--bind", "--repair"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("damaged PDFs that remain: 2"), "{}", errors(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    let upload = format!("payout-server statements upload --organization {MAIN} {UPLOADED} FILE");
    assert!(lines.contains(&upload) && lines.contains("its object is missing"), "{lines}");
    has_its_marker(&deployment).await;

    let show = ["statements", "show", "--organization", MAIN, UPLOADED];
    let shown = deployment.run(&show);
    assert!(shown.contains("500 INTERNAL_ERROR") && shown.contains(&upload), "{shown}");
    assert!(shown.contains("uploaded, damaged"), "{shown}");
    assert!(deployment.json(&show)["assets"][0]["damagedAt"].is_string());

    let pdf = deployment.file("again.pdf", "%PDF-1.4 again");
    deployment.run(&["statements", "upload", "--organization", MAIN, UPLOADED, &pdf]);
    let shown = deployment.run(&show);
    assert!(shown.contains("200, the uploaded ast_"), "{shown}");
    assert!(shown.contains("uploaded, withdrawn, damaged"), "{shown}");
}

#[tokio::test]
async fn position_that_is_none_is_wrong_usage() {
    let deployment = Deployment::create().await;
    for wrong in ["", "org_1", MAIN, "ast_01JV3N8Q5R0000000000000EF1"] {
        let error = deployment.reject(2, &["assets", "verify", "--after", wrong]);
        assert!(error.contains("org_…/ast_…"), "{error}");
    }
    deployment.reject(2, &["assets", "sweep", "--yes-many"]);
}
