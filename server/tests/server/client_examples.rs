//! Runs the client's examples against the real server. The suite is a client of its own. `cargo
//! test --workspace` builds the examples beside this test.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use heck::ToSnakeCase;
use openapi_document::Document;
use payout_server::http::docs::DOCUMENT;

use crate::{
    named::Names,
    support::{
        Key, TestServer,
        log::{begin, lines},
        until,
    },
};

const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";
/// Examples and their arguments, each after the others; `<ptn 1>` is the first new partner.
/// `export_commission_lines`, `meters` and `download_statement` have tests of their own.
const SESSION: &str = include_str!("client_examples.txt");

/// Runs an example with the server's key.
pub(crate) async fn run(server: &TestServer, example: &str, arguments: &[&str]) -> Output {
    // The program of all examples is `target/<profile>/examples/api`, this test in
    // `target/<profile>/deps`.
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let mut command = Command::new(profile.join("examples/api"));
    command
        .arg(example)
        .args(arguments)
        .env("PAYOUT_BASE_URL", server.base_url())
        .env("PAYOUT_API_KEY", server.key(Key::MAIN))
        .stdin(Stdio::null());
    // The server runs on this thread, so another one waits for the example.
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    output.unwrap_or_else(|error| {
        panic!("{example}: {error}; `cargo build --workspace --examples` makes it")
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs an example that must succeed; returns what it prints.
async fn succeed(server: &TestServer, example: &str, arguments: &[&str]) -> String {
    let output = run(server, example, arguments).await;
    assert!(output.status.success(), "{example}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[tokio::test]
async fn examples_print_what_they_read_and_change() {
    let server = TestServer::start().await;
    let run = async |line: &str| {
        let (example, arguments) = line.split_once(' ').unwrap_or((line, ""));
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = run(&server, example, &arguments).await;
        let printed = [text(&output.stdout), text(&output.stderr)].concat();
        let mut printed: Vec<&str> = printed.lines().collect();
        if ["create_payout_batch", "list_payouts"].contains(&example) {
            // The payouts of a batch have one time, so their random ids decide the order.
            printed.sort_by_key(|line| line.split_once(' ').map(|(_, rest)| rest));
        }
        let printed: String = printed.iter().map(|line| format!("{line}\n")).collect();
        Some(format!("{printed}exit {}\n", output.status.code().unwrap()))
    };
    let session = Names::default().transcript(SESSION, run).await;
    insta::assert_snapshot!(session);
}

#[tokio::test]
async fn the_export_example_resumes_from_each_cursor_without_loss_or_repetition() {
    let server = TestServer::start().await;
    let whole = run(&server, "export_commission_lines", &[]).await;
    let (out, err) = (text(&whole.stdout), text(&whole.stderr));
    let all: Vec<&str> = out.lines().collect();
    let cursors: Vec<_> = err.lines().filter_map(|line| line.split_once("resume from ")).collect();
    assert!(!cursors.is_empty(), "the data set has more than a page of lines: {err}");
    for (read, cursor) in cursors {
        let count: usize = read.split_whitespace().next().unwrap().parse().unwrap();
        let rest = succeed(&server, "export_commission_lines", &[cursor]).await;
        assert_eq!(rest.lines().collect::<Vec<_>>(), all[count..]);
    }
    assert!(err.ends_with(&format!("{} lines; complete\n", all.len())), "{err}");
}

#[tokio::test]
async fn the_meters_example_stops_at_the_reserve_and_resumes() {
    let server = TestServer::start().await;
    let whole = succeed(&server, "meters", &["0"]).await;
    assert!(whole.ends_with("complete\n") && whole.contains(", credits: "), "{whole}");
    let stopped = succeed(&server, "meters", &["100000000"]).await;
    let (shown, cursor) = stopped.split_once("stopped at the reserve; resume from ").unwrap();
    let rest = succeed(&server, "meters", &["0", cursor.trim()]).await;
    let payouts = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("pay_")).map(str::to_owned).collect()
    };
    assert_eq!([payouts(shown), payouts(&rest)].concat(), payouts(&whole));
}

#[tokio::test]
async fn the_statement_example_saves_the_pdf_once() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = [PAYOUT, folder.path().to_str().unwrap()];
    let printed = succeed(&server, "download_statement", &arguments).await;
    assert!(printed.contains("rendered by the service"), "{printed}");
    let path = folder.path().join("statement-Nordwind-Handels-GmbH-2026-05.pdf");
    assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF-"));
    let again = run(&server, "download_statement", &arguments).await;
    assert!(!again.status.success() && text(&again.stderr).contains("Exists"));
}

#[tokio::test]
async fn the_trace_example_sends_its_id_with_every_request() {
    let server = TestServer::start().await;
    let partner = "ptn_01JV3N8Q5R0000000000000001";
    let traced = succeed(&server, "trace_requests", &["trace-7001", partner]).await;
    assert!(traced.starts_with("getPartner 1: 200 OK after "), "{traced}");
    assert!(traced.ends_with("(trace trace-7001)\n"), "{traced}");
}

#[tokio::test]
async fn every_request_of_the_client_has_a_trace_in_the_log() {
    let server = TestServer::start().await;
    begin();
    let partner = "ptn_01JV3N8Q5R0000000000000001";
    succeed(&server, "trace_requests", &["trace-7002", partner]).await;
    let line = || lines().into_iter().find(|line| line.contains(r#""request_id":"trace-7002""#));
    until(async || line().is_some()).await;
    let line: serde_json::Value = serde_json::from_str(&line().unwrap()).unwrap();
    for (name, digits) in [("trace_id", 32), ("parent_id", 16)] {
        let id = line[name].as_str().unwrap_or_else(|| panic!("no {name} in {line}"));
        assert!(id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    }
}

#[test]
fn every_operation_has_an_example_and_every_example_is_run_here_and_listed_in_the_readme() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/examples/api");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let document = Document::parse("openapi/api.yaml", DOCUMENT).unwrap();
    for operation in document.operations() {
        let call = format!(".{}(", operation.id.to_snake_case());
        assert!(sources.contains(&call), "no program in client/examples/api/ calls {call}");
    }
    let tests = [include_str!("client_examples.rs"), "\n", SESSION].concat();
    let readme = include_str!("../../../client/README.md");
    let programs = sources.split("pub(crate) async fn ").skip(1);
    for name in programs.map(|function| function.split('(').next().unwrap_or_default()) {
        assert!(readme.contains(&format!("`{name}`")), "client/README.md does not list {name}");
        let is_run = tests.contains(&format!("\n{name}")) || tests.contains(&format!("\"{name}\""));
        assert!(is_run, "no test runs {name}");
    }
}

#[test]
fn the_page_from_curl_shows_every_command_of_the_readme() {
    let readme = include_str!("../../../README.md");
    let page = include_str!("../../../client/docs/from-curl.md");
    let (_, tour) = readme.split_once("## A commission from creation to statement").unwrap();
    let (tour, _) = tour.split_once("\n## ").unwrap();
    let commands =
        tour.lines().filter(|line| line.contains("\"$api/") || line.contains("\"$link\""));
    assert!(commands.clone().count() > 8, "{tour}");
    for command in commands {
        assert!(page.contains(command), "client/docs/from-curl.md lacks {command}");
    }
}
