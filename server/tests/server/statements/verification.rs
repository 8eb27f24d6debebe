//! `payout-server assets verify` over the assets of a server, which no request runs.

use std::{
    fs,
    process::{Command, Stdio},
};

use super::{damage::*, file, generate, noted};
use crate::support::{TestServer, dataset::*, until};

fn command(server: &TestServer, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_payout-server"));
    command
        .args([&["assets", "verify"], arguments].concat())
        .env("DATABASE_URL", server.database.app_url())
        .env("PAYOUT_DATA_DIR", server.folder())
        .stdin(Stdio::null());
    command
}

/// Its exit code, and what it prints.
fn verify(server: &TestServer, arguments: &[&str]) -> (i32, String) {
    let output = command(server, arguments).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// The line about this asset.
fn line<'a>(text: &'a str, asset_id: &str) -> &'a str {
    let mut lines =
        text.lines().filter(|line| line.contains(asset_id) && !line.contains("verified"));
    let line = lines.next().unwrap_or_else(|| panic!("{asset_id} is not in {text}"));
    assert_eq!(lines.next(), None, "one line for each");
    line
}

/// A named pipe without a writer blocks who opens it, as a hanging volume does.
#[tokio::test]
async fn verification_that_ends_early_prints_how_to_continue_behind_a_position() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    let second = generate(&server, FORTY_ONE).await;
    let path = file(&server, &second.asset_id);
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut command = command(&server, &["--repair", "--object-store-operation-seconds=1"]);
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("no answer within 1 s"), "{message}");
    let after = format!("{MAIN}/{}", first.asset_id);
    let expected = format!("payout-server assets verify --repair --after {after}\n");
    assert!(message.ends_with(&expected), "{message}");
    assert!(!noted(&server, &second.asset_id).await.0, "what cannot be read is not noted");

    fs::remove_file(&path).unwrap();
    Harm::FirstByte.apply(&file(&server, &first.asset_id));
    let (code, text) = verify(&server, &["--after", &after]);
    assert!(!text.contains(&first.asset_id), "{text}");
    line(&text, &second.asset_id);
    assert_eq!((code, noted(&server, &first.asset_id).await.0), (1, false));
    let after = format!("{MAIN}/{}", second.asset_id);
    assert_eq!(verify(&server, &["--after", &after]).0, 0);
}

#[tokio::test]
async fn interrupted_verification_prints_how_to_continue() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    let lock = server.hold("LOCK TABLE assets IN ACCESS EXCLUSIVE MODE").await;
    let after = format!("{MAIN}/{}", first.asset_id);
    let mut command = command(&server, &["--after", &after]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until(async || server.waiting().await > 0).await;
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(&format!("assets verify --after {after}")), "{message}");
    lock.rollback().await.unwrap();
}
