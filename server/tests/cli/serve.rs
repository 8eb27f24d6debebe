//! `serve` and `migrate`: which databases are refused, and with what words.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use sqlx::Connection as _;

use crate::support::{Deployment, errors, program};

#[tokio::test]
async fn a_database_without_schema_is_refused_by_every_command_until_migrate() {
    let deployment = Deployment::create().await;
    let mut connection = sqlx::PgConnection::connect(&deployment.database.superuser_url())
        .await
        .unwrap();
    sqlx::raw_sql(
        "DROP SCHEMA payout CASCADE; CREATE SCHEMA payout AUTHORIZATION payout_test_owner",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    for command in [
        vec!["serve", "--listen", "127.0.0.1:0"],
        vec!["organizations", "list"],
        vec!["keys", "list"],
        vec!["seed"],
    ] {
        let error = deployment.refuse(1, &command);
        assert!(
            error.contains("run `payout-server migrate`"),
            "{command:?}: {error}"
        );
    }
    assert!(deployment.run(&["migrate"]).contains("from version 0"));
    assert!(deployment.run(&["migrate"]).contains("up to date"));
    deployment.run(&["organizations", "list"]);
}

#[tokio::test]
async fn a_privileged_role_is_refused() {
    let deployment = Deployment::create().await;
    for url in [
        deployment.database.superuser_url(),
        deployment.database.owner_url().to_owned(),
    ] {
        let mut command = program(deployment.folder.path());
        let output = command
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = errors(&output);
        assert!(error.contains("row-level security"), "{error}");
    }
}

#[tokio::test]
async fn a_database_that_is_away_is_told_with_what_to_check() {
    let deployment = Deployment::create().await;
    let away = [
        "organizations",
        "list",
        "--database-url",
        "postgres://nobody@127.0.0.1:1/none",
    ];
    assert!(deployment.refuse(1, &away).contains("Check DATABASE_URL"));
}

#[tokio::test]
async fn serve_outlives_the_readers_of_its_output_and_ends_with_zero_on_sigterm() {
    let deployment = Deployment::create().await;
    let mut server = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = server
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    drop(server.stderr.take());
    let base = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"))
        .unwrap();
    // Together with payout-client, reqwest is built with a TLS that needs to be told its cryptography, and panics without.
    let _ = rustls::crypto::ring::default_provider().install_default();
    for _ in 0..2 {
        let answer = reqwest::get(format!("{base}/partners")).await.unwrap();
        assert_eq!(answer.status(), 401);
    }
    let ended = std::process::Command::new("kill")
        .arg(server.id().to_string())
        .status()
        .unwrap();
    assert!(ended.success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
