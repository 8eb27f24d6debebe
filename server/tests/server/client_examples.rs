//! Runs the client's examples against the real server. The suite is a client of its own. `cargo
//! test --workspace` builds the examples beside this test.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use heck::ToSnakeCase;
use openapi_document::Document;
use payout_server::http::docs::DOCUMENT;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
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
    run_at(server.base_url(), server, example, arguments).await
}

/// Runs an example with the server's key at another address.
async fn run_at(base_url: &str, server: &TestServer, example: &str, arguments: &[&str]) -> Printed {
    let mut command = Command::new(path());
    command
        .arg(example)
        .args(arguments)
        .env("PAYOUT_BASE_URL", base_url)
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

/// The program of all examples is `target/<profile>/examples/api`, this test in
/// `target/<profile>/deps`.
fn path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    profile.join("examples/api")
}

/// Runs an example that must succeed; returns what it prints.
async fn succeed(server: &TestServer, example: &str, arguments: &[&str]) -> String {
    let printed = run(server, example, arguments).await;
    assert!(printed.success, "{example}: {}", printed.err);
    printed.out
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The id that an example prints first.
fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap()
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
async fn the_export_example_resumes_from_each_cursor_without_loss_or_repetition() {
    let server = TestServer::start().await;
    let whole = run(&server, "export_commission_lines", &[]).await;
    assert!(whole.success, "{}", whole.err);
    let cursors: Vec<_> =
        whole.err.lines().filter_map(|line| line.split_once("resume from ")).collect();
    assert!(!cursors.is_empty(), "the data set has more than a page of lines: {}", whole.err);
    for (read, cursor) in cursors {
        let count: usize = first_word(read).parse().unwrap();
        let rest = succeed(&server, "export_commission_lines", &[cursor]).await;
        assert_eq!(lines(&rest), lines(&whole.out)[count..]);
    }
    let count = lines(&whole.out).len();
    assert!(whole.err.ends_with(&format!("{count} lines; complete\n")), "{}", whole.err);
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
async fn the_trace_example_sends_its_id_with_every_request() {
    let server = TestServer::start().await;
    let traced = succeed(&server, "trace_requests", &["trace-7001", PARTNER]).await;
    assert!(traced.starts_with("getPartner 1: 200 OK after "), "{traced}");
    assert!(traced.ends_with("(trace trace-7001)\n"), "{traced}");
}

#[tokio::test]
async fn the_statement_example_saves_the_pdf_once() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = [PAYOUT, folder.path().to_str().unwrap()];
    let printed = run(&server, "download_statement", &arguments).await;
    assert!(printed.success, "{}", printed.err);
    assert!(printed.out.contains("rendered by the service"), "{}", printed.out);
    let read = lines(&printed.err).last().unwrap().split_once(" of ").unwrap();
    assert_eq!(format!("{} bytes", read.0), read.1, "{}", printed.err);
    let path = folder.path().join("statement-Nordwind-Handels-GmbH-2026-05.pdf");
    assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF-"));
    let again = run(&server, "download_statement", &arguments).await;
    assert!(!again.success && again.err.contains("Exists"), "{}", again.err);
}

/// It has a server of its own.
#[tokio::test]
async fn the_testkit_example_reports_every_answer_and_every_surprise() {
    let server = TestServer::start().await;
    let printed = run(&server, "testkit", &[]).await;
    assert!(printed.success, "{}", printed.err);
    assert!(printed.out.contains("404 NOT_FOUND"), "{}", printed.out);
    assert!(printed.out.contains("UnknownFields"), "{}", printed.out);
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
    assert!(first.out.contains("is detached"), "{}", first.err);
    let second = succeed(&server, "detach_commission_line", &[&line]).await;
    assert!(second.contains("is in no payout"), "{second}");
}

#[tokio::test]
async fn the_detach_example_repeats_its_request_after_a_lost_response() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let line = server.get(Key::MAIN, &path).expect(200).await.ids().remove(0);
    let base_url = losing_the_response_to_the_first_post(&server).await;
    let detached = run_at(&base_url, &server, "detach_commission_line", &[&line]).await;
    assert!(detached.success && detached.out.contains("is detached"), "{}", detached.err);
    assert!(!server.get(Key::MAIN, &path).expect(200).await.ids().contains(&line));
}

#[tokio::test]
async fn the_creating_examples_do_their_work_once() {
    let server = TestServer::start().await;
    let partner = ["Aurora Handel AS", "aurora.example"];
    let created = succeed(&server, "create_partner", &partner).await;
    assert!(created.contains("(created)"), "{created}");
    let known = succeed(&server, "create_partner", &partner).await;
    assert_eq!(first_word(&known), first_word(&created));
    assert!(known.contains("(known already)"), "{known}");

    let order = [first_word(&created), "7001", "80.00", "NOK"];
    let line = succeed(&server, "create_commission_line", &order).await;
    assert!(line.ends_with("NOK  created\n"), "{line}");
    let again = succeed(&server, "create_commission_line", &order).await;
    assert_eq!(first_word(&again), first_word(&line));
    assert!(again.contains("by an earlier request with this key"), "{again}");

    let payout = [first_word(&created), "NOK", "2026-12-01T00:00:00Z", "2099-01-01T00:00:00Z"];
    let made = succeed(&server, "create_payout", &payout).await;
    assert!(made.contains("80.00 NOK") && !made.contains("an earlier request"), "{made}");
    let again = succeed(&server, "create_payout", &payout).await;
    assert_eq!(first_word(&again), first_word(&made));
    assert!(again.contains("an earlier request with this key"), "{again}");
}

#[tokio::test]
async fn the_line_example_repeats_a_request_whose_response_is_lost() {
    let server = TestServer::start().await;
    let base_url = losing_the_response_to_the_first_post(&server).await;
    let order = [PARTNER, "7002", "80.00", "EUR"];
    let line = run_at(&base_url, &server, "create_commission_line", &order).await;
    assert!(line.out.contains("by an earlier request with this key"), "{}{}", line.out, line.err);
}

/// An address in front of the server that closes the connection when the response to the first POST
/// arrives.
async fn losing_the_response_to_the_first_post(server: &TestServer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let upstream = server.base_url().strip_prefix("http://").unwrap().to_owned();
    tokio::spawn(async move {
        let mut was_lost = false;
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(&upstream).await.unwrap();
            if !was_lost {
                was_lost = forward_until_a_post(&mut client, &mut server).await;
            } else {
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        }
    });
    base_url
}

/// Forwards requests and responses, up to the response to a POST; returns whether there was one.
async fn forward_until_a_post(client: &mut TcpStream, server: &mut TcpStream) -> bool {
    let (mut request, mut response) = ([0; 4096], [0; 4096]);
    let mut is_post = false;
    loop {
        tokio::select! {
            read = client.read(&mut request) => match read {
                Ok(count @ 1..) => {
                    let sent = &request[..count];
                    is_post |= sent.starts_with(b"POST ");
                    server.write_all(sent).await.unwrap();
                }
                _ => return false,
            },
            read = server.read(&mut response) => match read {
                Ok(1..) if is_post => return true,
                Ok(count @ 1..) => client.write_all(&response[..count]).await.unwrap(),
                _ => return false,
            },
        }
    }
}

#[tokio::test]
async fn the_batch_example_lists_the_payouts_of_all_pending_lines() {
    let server = TestServer::start().await;
    let period = ["2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"];
    let batch = succeed(&server, "create_payout_batch", &period).await;
    let payouts = lines(&batch).len() - 1;
    assert!(payouts > 1 && batch.contains(&format!("  {payouts} payouts of 33 lines")), "{batch}");
    let drafts = succeed(&server, "list_payouts", &["DRAFT"]).await;
    for payout in &lines(&batch)[1..] {
        assert!(drafts.contains(first_word(payout)), "{drafts}");
    }
}

#[tokio::test]
async fn the_changing_examples_end_where_a_paid_payout_locks_its_lines() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let line = server.get(Key::MAIN, &path).expect(200).await.ids().remove(0);
    let shown = succeed(&server, "get_commission_line", &[&line]).await;
    assert!(shown.contains("1234.50 EUR of 12345.00") && shown.contains(PAYOUT), "{shown}");
    let corrected = succeed(&server, "update_commission_line", &[&line, "1000.00"]).await;
    assert!(corrected.contains("1000.00 EUR"), "{corrected}");

    let approved = succeed(&server, "update_payout", &[PAYOUT, "APPROVED", "PO-7"]).await;
    assert!(approved.contains("APPROVED, PO number PO-7"), "{approved}");
    let draft = run(&server, "update_payout", &[PAYOUT, "DRAFT"]).await;
    assert!(!draft.success && draft.err.contains("can move to [PendingReview, "), "{}", draft.err);
    succeed(&server, "update_payout", &[PAYOUT, "PAID"]).await;
    let locked = run(&server, "update_commission_line", &[&line, "1.00"]).await;
    assert!(locked.err.contains("can no longer change"), "{}", locked.err);
}

#[tokio::test]
async fn the_attach_example_puts_a_detached_line_back() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let line = server.get(Key::MAIN, &path).expect(200).await.ids().remove(0);
    succeed(&server, "detach_commission_line", &[&line]).await;
    let attached = succeed(&server, "attach_commission_line", &[&line, PAYOUT]).await;
    assert!(attached.ends_with(&format!("is IN_PAYOUT in {PAYOUT}\n")), "{attached}");
}

#[tokio::test]
async fn the_batch_examples_show_counts_and_sums() {
    let server = TestServer::start().await;
    let batch = "pbt_01JV3N8Q5R0000000000000005";
    let shown = succeed(&server, "get_payout_batch", &[batch]).await;
    assert!(shown.contains("payouts of") && shown.contains("EUR"), "{shown}");
    let listed = succeed(&server, "list_payout_batches", &[]).await;
    assert!(listed.contains(batch), "{listed}");
}

#[tokio::test]
async fn the_decline_example_succeeds_again_when_it_is_repeated() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?payoutId={PAYOUT}");
    let line = server.get(Key::MAIN, &path).expect(200).await.ids().remove(0);
    for _ in 0..2 {
        let arguments = [line.as_str(), "CUSTOM", "Agreed by telephone"];
        let declined = succeed(&server, "decline_commission_line", &arguments).await;
        assert!(declined.ends_with("is VOIDED\n"), "{declined}");
    }
}

/// The source of each example by its name.
fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/examples/api");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let examples = files.filter(|path| !path.ends_with("main.rs"));
    examples.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn every_operation_of_the_document_has_an_example() {
    let document = Document::parse("openapi/api.yaml", DOCUMENT).unwrap();
    let sources = sources();
    for operation in document.operations() {
        let call = format!(".{}(", operation.id.to_snake_case());
        let shown = sources.iter().any(|(_, source)| source.contains(&call));
        assert!(shown, "no program in client/examples/api/ calls {call}");
    }
}

#[test]
fn every_example_is_run_here_and_listed_in_the_readme() {
    let tests = include_str!("client_examples.rs");
    let readme = include_str!("../../../client/README.md");
    for (name, _) in sources() {
        assert!(readme.contains(&format!("`{name}`")), "client/README.md does not list {name}");
        assert!(tests.contains(&format!("(&server, \"{name}\"")), "no test runs {name}");
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

#[tokio::test]
async fn an_example_with_an_unknown_id_reports_status_code_and_request_id() {
    let server = TestServer::start().await;
    let printed = run(&server, "get_payout", &["pay_nobody"]).await;
    assert!(!printed.success);
    for part in ["404", "NOT_FOUND", "The organisation has no payout with this id."] {
        assert!(printed.err.contains(part), "{}", printed.err);
    }
}
