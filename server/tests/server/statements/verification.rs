//! `payout-server assets verify` over the assets of a server, which no request runs.

use std::{
    fs,
    process::{Command, Stdio},
};

use super::{damage::*, download, file, generate, noted, rename_partners, set_note};
use crate::support::{TestServer, dataset::*};

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

#[tokio::test]
async fn verify_finds_every_damage_and_repair_makes_rendered_pdfs_again() {
    let server = TestServer::start().await;
    let mut harmed = Vec::new();
    for (payout, harm) in [ONE_LINE, FORTY_ONE, NEGATIVE, HUGE].into_iter().zip(Harm::ALL) {
        let statement = generate(&server, payout).await;
        harmed.push((statement.clone(), download(&server, &statement.url).await, harm));
    }
    let uploaded = generate(&server, UPLOADED).await.asset_id;
    let (code, text) = verify(&server, &[]);
    assert_eq!(code, 0);
    assert!(text.starts_with("6 PDFs verified, 0 damaged; the last is "), "{text}");

    let upload = fs::read(file(&server, &uploaded)).unwrap();
    Harm::LastByte.apply(&file(&server, &uploaded));
    for (statement, _, harm) in &harmed {
        harm.apply(&file(&server, &statement.asset_id));
    }
    for _ in 0..2 {
        let (code, text) = verify(&server, &[]);
        assert_eq!(code, 1);
        for (statement, ..) in &harmed {
            let line = line(&text, &statement.asset_id);
            assert!(line.contains(" is damaged: ") && line.contains("verify --repair"), "{line}");
            assert_eq!(noted(&server, &statement.asset_id).await, (true, false));
        }
        let line = line(&text, &uploaded);
        assert!(line.contains("SHA-256 differs") && line.contains("statements upload"), "{line}");
        assert!(text.contains("6 PDFs verified, 5 damaged"), "{text}");
    }

    fs::write(file(&server, &uploaded), upload).unwrap();
    let (code, text) = verify(&server, &["--repair"]);
    assert_eq!(code, 0);
    assert!(line(&text, &uploaded).ends_with(" is right again"), "{text}");
    for (statement, original, _) in &harmed {
        assert!(line(&text, &statement.asset_id).contains(" is made again: "), "{text}");
        assert_eq!(noted(&server, &statement.asset_id).await, (false, false));
        assert_eq!(&download(&server, &statement.url).await, original);
    }
    assert_eq!(verify(&server, &[]).1.lines().count(), 1, "nothing is left");
}

#[tokio::test]
async fn repair_replaces_a_pdf_that_would_have_other_bytes() {
    let server = TestServer::start().await;
    let lost = generate(&server, ONE_LINE).await;
    rename_partners(&server).await;
    Harm::Missing.apply(&file(&server, &lost.asset_id));
    let (code, text) = verify(&server, &["--repair"]);
    let made = generate(&server, ONE_LINE).await;
    let replaced = line(&text, &lost.asset_id);
    assert!(replaced.contains(&format!(" is replaced by {}", made.asset_id)), "{replaced}");
    assert_eq!((code, noted(&server, &lost.asset_id).await), (0, (true, true)));
    let (code, text) = verify(&server, &["--repair"]);
    assert!(line(&text, &lost.asset_id).contains(" was replaced earlier: "), "{text}");
    assert_eq!(code, 0);
    download(&server, &made.url).await;
}

#[tokio::test]
async fn pdf_of_an_earlier_state_is_mended_by_a_backup_alone() {
    let server = TestServer::start().await;
    let earlier = generate(&server, ONE_LINE).await;
    let path = file(&server, &earlier.asset_id);
    let original = fs::read(&path).unwrap();
    set_note(&server, "Another").await;
    generate(&server, ONE_LINE).await;
    Harm::Short.apply(&path);
    let (code, text) = verify(&server, &["--repair"]);
    let found = line(&text, &earlier.asset_id);
    assert!(found.contains("only a backup") && found.contains("has changed since"), "{found}");
    assert_eq!(code, 1);
    fs::write(path, original).unwrap();
    assert_eq!(verify(&server, &["--repair"]).0, 0);
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
    while server.waiting().await == 0 {}
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(&format!("assets verify --after {after}")), "{message}");
    lock.rollback().await.unwrap();
}
