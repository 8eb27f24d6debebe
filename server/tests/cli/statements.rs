//! Stores of PDFs that were lost, moved or left behind: `assets`, `statements`.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use crate::{
    named::Names,
    support::{Deployment, errors},
};

const MAIN: &str = "org_01JV3N8Q5R0000000000000001";

fn store(deployment: &Deployment) -> PathBuf {
    deployment.folder.path().join("assets")
}

#[tokio::test]
async fn sweep_only_lists_unless_it_is_told_to_delete_and_keeps_young_objects() {
    let deployment = Deployment::seeded().await;
    let left = store(&deployment).join(MAIN).join("ast_01JV3N8Q5R0000000000000EF1.pdf");
    fs::write(&left, "%PDF-left behind").unwrap();
    let mut names = Names::default();
    let mut session = deployment.session(&mut names, "assets sweep --delete").await;
    let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 86_400);
    fs::File::options().write(true).open(&left).unwrap().set_modified(two_days_ago).unwrap();
    // One of three objects is more than 1 %.
    session += &deployment.session(&mut names, "assets sweep\nassets sweep --delete").await;
    assert!(left.exists());
    session += &deployment.session(&mut names, "assets sweep --delete --yes-many").await;
    assert!(!left.exists());
    insta::assert_snapshot!(session);
}

/// Commands that use the store, which must be this database's.
const COMMANDS: &str = "
serve --listen 127.0.0.1:0
assets sweep
assets verify
assets verify --repair";

async fn has_its_marker(deployment: &Deployment) {
    let id = deployment.value("SELECT id FROM payout.database_identity").await;
    let marker = fs::read_to_string(store(deployment).join("database-id")).unwrap();
    assert_eq!(marker, format!("{id}\n"));
}

#[tokio::test]
async fn new_store_of_a_database_without_pdfs_gets_the_marker() {
    let deployment = Deployment::create().await;
    assert_eq!(deployment.run(&["assets", "verify"]), "0 PDFs verified, 0 damaged\n");
    has_its_marker(&deployment).await;
}

#[tokio::test]
async fn store_is_used_where_it_has_the_newest_pdfs_and_is_neither_unmounted_nor_anothers() {
    let deployment = Deployment::seeded().await;
    let (folder, away) = (store(&deployment), deployment.folder.path().join("away"));
    let mut names = Names::default();
    let mut session = deployment.session(&mut names, "assets verify").await;
    has_its_marker(&deployment).await;
    fs::rename(&folder, &away).unwrap();
    session += &deployment.session(&mut names, COMMANDS).await;
    assert!(!folder.exists(), "it is not created");
    fs::create_dir(&folder).unwrap();
    session += &deployment.session(&mut names, COMMANDS).await;
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is written to it");
    fs::remove_dir(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    fs::write(folder.join("database-id"), "another\n").unwrap();
    session += &deployment.session(&mut names, COMMANDS).await;
    session += &deployment.session(&mut names, "assets verify --bind\nassets sweep").await;
    has_its_marker(&deployment).await;
    insta::assert_snapshot!(session);
}

#[tokio::test]
async fn lost_store_is_replaced_by_an_empty_one_by_name() {
    let deployment = Deployment::seeded().await;
    fs::remove_dir_all(store(&deployment)).unwrap();
    deployment.file("again.pdf", "%PDF-1.4 again");
    let payout = format!("--organization {MAIN} pay_01JV3N8Q5R000000000000000D");
    let session = format!(
        "
assets verify --bind --repair
statements show {payout}
statements upload {payout} {{folder}}/again.pdf
statements show {payout}"
    );
    insta::assert_snapshot!(deployment.session(&mut Names::default(), &session).await);
    has_its_marker(&deployment).await;
}

#[tokio::test]
async fn storage_that_cannot_be_used_is_rejected_with_what_mends_it() {
    let deployment = Deployment::create().await;
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let reject = |flags: [&str; 2]| deployment.reject(1, &[&serve[..], &flags].concat());
    assert!(reject(["--assets", &deployment.file("taken", "")]).contains("--assets"));
    let missing = reject(["--link-keys", "/nowhere/keys"]);
    assert!(missing.contains("/nowhere/keys does not exist"), "{missing}");
    let bucket = [&serve[..], &["--assets", "s3://statements"]].concat();
    let mut bucket = deployment.command(&bucket);
    let message = errors(&bucket.env_remove("AWS_ACCESS_KEY_ID").output().unwrap());
    assert!(message.contains("AWS_ACCESS_KEY_ID is not set"), "{message}");
}
