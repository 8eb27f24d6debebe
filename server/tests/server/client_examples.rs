//! The client's examples, run against the real server. `cargo test --workspace` builds them beside
//! this test.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::support::{Key, TestServer};

const PARTNER: &str = "ptn_01JV3N8Q5R0000000000000001";
const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";

struct Printed {
    success: bool,
    out: String,
    err: String,
}

async fn run(server: &TestServer, example: &str, arguments: &[&str]) -> Printed {
    let mut command = Command::new(path_of(example));
    command
        .args(arguments)
        .env("PAYOUT_BASE_URL", server.base_url())
        .env("PAYOUT_API_KEY", server.key(Key::MAIN))
        .stdin(Stdio::null());
    // The server runs on this thread, so another one waits for the example.
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    let output = output.unwrap_or_else(|error| {
        panic!("{example}: {error}; `cargo build --workspace --examples` makes it")
    });
    Printed {
        success: output.status.success(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// This test is in `target/<profile>/deps`, the examples in `target/<profile>/examples`.
fn path_of(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    profile.join("examples").join(example)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[tokio::test]
async fn reading_examples_print_what_the_data_set_holds() {
    let server = TestServer::start().await;
    let partners = run(&server, "list_partners", &[]).await;
    assert!(partners.success, "{}", partners.err);
    assert!(partners.out.contains("ООО «Ромашка»"), "{}", partners.out);

    let partner = run(&server, "get_partner", &["4815162342"]).await;
    assert!(partner.success, "{}", partner.err);
    assert!(partner.out.contains(PARTNER), "{}", partner.out);

    let lines = run(&server, "list_commission_lines", &["VOIDED"]).await;
    assert!(lines.success && lines.out.contains("VOIDED"), "{}", lines.err);
    assert!(!lines.out.contains("IN_PAYOUT"), "{}", lines.out);

    let payout = run(&server, "get_payout", &[PAYOUT]).await;
    assert!(payout.success, "{}", payout.err);
    assert!(payout.out.contains("1234.50 EUR"), "{}", payout.out);
}

#[tokio::test]
async fn the_statement_example_saves_the_pdf_once() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = [PAYOUT, folder.path().to_str().unwrap()];
    let printed = run(&server, "download_statement", &arguments).await;
    assert!(printed.success, "{}", printed.err);
    assert!(printed.out.contains("rendered by the service"), "{}", printed.out);
    let path = folder.path().join("statement-Nordwind-Handels-GmbH-2026-05.pdf");
    assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF-"));
    let again = run(&server, "download_statement", &arguments).await;
    assert!(!again.success && again.err.contains("Exists"), "{}", again.err);
}

#[tokio::test]
async fn the_update_example_keeps_sets_and_clears_the_domain() {
    let server = TestServer::start().await;
    for (domain, shown) in
        [(&[][..], "nordwind.example"), (&["neu.example"][..], "neu.example"), (&["-"][..], "none")]
    {
        let arguments = [&[PARTNER, "Nordwind Logistik"], domain].concat();
        let printed = run(&server, "update_partner", &arguments).await;
        assert!(printed.success, "{}", printed.err);
        assert!(lines(&printed.out)[1].ends_with(shown), "{}", printed.out);
    }
}

#[tokio::test]
async fn the_detach_example_detaches_once_and_then_says_why_not() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let attached = server.get(Key::MAIN, &path).expect(200).await;
    let line = attached.ids().remove(0);
    let first = run(&server, "detach_commission_line", &[&line]).await;
    assert!(first.success && first.out.contains("PENDING"), "{}", first.err);
    let second = run(&server, "detach_commission_line", &[&line]).await;
    let said = format!("{}{}", second.out, second.err);
    assert!(said.contains("is in no payout"), "{said}");
}

#[tokio::test]
async fn an_example_with_an_unknown_id_reports_status_code_and_request_id() {
    let server = TestServer::start().await;
    let printed = run(&server, "get_payout", &["pay_nobody"]).await;
    assert!(!printed.success);
    for part in ["404", "NOT_FOUND", "The organisation has no payout with this id."] {
        assert!(printed.err.contains(part), "{}", printed.err);
    }
}
