//! Downloads: what a link's host receives, and which of its responses are a PDF.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::TryStreamExt as _;
use payout_client::{Client, Download, Error, RetryPolicy, types::StatementResult};
use serde_json::json;

use crate::stub::{KEY, Stub, exact_response, response};

pub(crate) const PDF: &str = "%PDF-1.7\none page\n%%EOF\n";
const SIGNATURE: &str = "c2VjcmV0";
/// Far above the limits under test, and below all others: only a limit that fails lets it elapse.
const HANG: Duration = Duration::from_secs(20);

/// A statement whose link leads to this host.
pub(crate) fn statement(host: &str) -> StatementResult {
    serde_json::from_value(json!({
        "assetId": "ast_1",
        "filename": "statement-Nordwind-2026-05.pdf",
        "downloadUrl": format!("{host}/ast_1.pdf?signature={SIGNATURE}"),
        "expiresAt": "2026-06-01T13:00:00.000Z",
        "isUploaded": false,
    }))
    .unwrap()
}

/// Begins a download from a stub, with a client whose API is the same stub.
pub(crate) async fn begin(stub: &Stub) -> Result<Download, Error> {
    let statement = statement(&stub.base_url);
    stub.client().download_statement(&statement).send().await
}

async fn error_of(status: &str, headers: &str, body: &str) -> Error {
    let stub = Stub::responding(status, headers, body).await;
    begin(&stub).await.unwrap_err()
}

#[tokio::test]
async fn statement_is_generated_with_the_key_and_downloaded_without() {
    let files = Stub::responding("200 OK", "etag: \"abc\"\r\n", PDF).await;
    let body = json!({ "data": statement(&files.base_url) });
    let api = Stub::responding_json(body.to_string()).await;
    let client = api.client();
    let generated = client.generate_statement("pay_1").send().await;
    let generated = generated.unwrap().into_inner().data;
    let download = client.download_statement(&generated).send().await.unwrap();
    assert_eq!(download.filename(), "statement-Nordwind-2026-05.pdf");
    assert_eq!(download.length_bytes(), Some(PDF.len() as u64));
    assert_eq!(download.headers()["etag"], "\"abc\"");
    assert_eq!(download.bytes().await.unwrap(), PDF);

    assert!(api.request().contains(KEY));
    let sent = files.request();
    let line = format!("GET /ast_1.pdf?signature={SIGNATURE} HTTP/1.1\r\n");
    assert!(sent.starts_with(&line), "{sent}");
    for absent in [KEY, "x-api-key", "api-version", "referer"] {
        assert!(!sent.contains(absent), "{sent}");
    }
    assert!(sent.contains("accept: application/pdf\r\n"), "{sent}");
}

#[tokio::test]
async fn chunks_and_stream_give_every_byte() {
    let stub = Stub::responding("200 OK", "", PDF.repeat(10_000)).await;
    let mut download = begin(&stub).await.unwrap();
    let mut chunked = Vec::new();
    while let Some(chunk) = download.chunk().await.unwrap() {
        chunked.extend_from_slice(&chunk);
    }
    let streamed: Vec<_> = begin(&stub).await.unwrap().bytes_stream().try_collect().await.unwrap();
    assert_eq!(chunked, PDF.repeat(10_000).as_bytes());
    assert_eq!(streamed.concat(), chunked);
}

#[tokio::test]
async fn redirect_of_a_link_is_not_followed() {
    let elsewhere = Stub::responding("200 OK", "", PDF).await;
    let location = format!("location: {}/ast_1.pdf\r\n", elsewhere.base_url);
    let error = error_of("302 Found", &location, "").await;
    assert_eq!(error.status().unwrap(), 302);
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn link_that_leaves_tls_is_an_error_before_anything_is_sent() {
    let stub = Stub::responding("200 OK", "", PDF).await;
    let client = Client::builder().base_url("https://api.example").key(KEY).build().unwrap();
    let statement = statement(&stub.base_url);
    let error = client.download_statement(&statement).send().await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest { .. }), "{error:?}");
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn limit_is_the_largest_pdf_that_is_downloaded() {
    let stub = Stub::responding("200 OK", "", PDF).await;
    let (client, statement) = (stub.client(), statement(&stub.base_url));
    let with_limit = |limit_bytes| client.download_statement(&statement).limit_bytes(limit_bytes);
    let length_bytes = PDF.len() as u64;
    assert!(with_limit(length_bytes).send().await.is_ok());
    let error = with_limit(length_bytes - 1).send().await.unwrap_err();
    assert!(error.to_string().contains("raise the limit with `limit_bytes`"));
}

#[tokio::test]
async fn host_that_never_responds_is_a_timeout() {
    // The system accepts the connection, and nothing reads from it.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder().base_url(&host).key(KEY).build().unwrap();
    let statement = statement(&host);
    let download = client.download_statement(&statement);
    let response = download.timeout(Duration::from_millis(1)).send();
    let error = tokio::time::timeout(HANG, response).await.unwrap();
    assert!(matches!(&error, Err(Error::Transport(cause)) if cause.is_timeout()), "{error:?}");
}

#[tokio::test]
async fn time_limit_of_requests_is_not_that_of_downloads() {
    let stub = Stub::responding("200 OK", "", PDF).await;
    let client = stub.client().with_timeout(Duration::from_nanos(1));
    client.get_payout("pay_1").send().await.unwrap_err();
    let statement = statement(&stub.base_url);
    let download = client.download_statement(&statement).send().await.unwrap();
    assert_eq!(download.bytes().await.unwrap(), PDF);
}

#[tokio::test]
async fn host_that_stops_sending_is_a_timeout() {
    let stub = Stub::stalling().await;
    let (client, statement) = (stub.client(), statement(&stub.base_url));
    let download = client.download_statement(&statement);
    let download = download.timeout(Duration::from_millis(200));
    let whole = async { download.send().await?.bytes().await };
    let error = tokio::time::timeout(HANG, whole).await.unwrap();
    assert!(matches!(&error, Err(Error::Transport(cause)) if cause.is_timeout()), "{error:?}");
}

/// The bytes of the PDF that arrive before the connection is cut.
const CUT: usize = 9;

/// A success with this entity tag, of which only the first bytes arrive.
fn cut(etag: &str) -> String {
    let head = format!("200 OK\r\ncontent-length: {}\r\n{etag}", PDF.len());
    exact_response(&head, &PDF[..CUT])
}

/// A response with the rest of the PDF, from a byte on, and this entity tag.
fn rest(offset: usize, etag: &str) -> String {
    let range = format!("content-range: bytes {offset}-{}/{}\r\n", PDF.len() - 1, PDF.len());
    response("206 Partial Content", &format!("{range}{etag}"), &PDF[offset..])
}

/// Downloads with the default repetitions.
async fn download(stub: &Stub) -> Result<Download, Error> {
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let client = stub.builder().retries(retries).build().unwrap();
    client.download_statement(&statement(&stub.base_url)).send().await
}

/// The ranges of a download's requests to a host with these responses, and its PDF or error.
async fn shown(what: &str, responses: impl IntoIterator<Item = String>) -> String {
    let stub = Stub::in_turn(responses).await;
    let result = async {
        let download = download(&stub).await?;
        Ok((download.length_bytes(), download.bytes().await?))
    };
    let result: Result<_, Error> = result.await;
    let mut shown = format!("{what}\n");
    for request in stub.requests() {
        let ranges: Vec<_> = request.lines().filter(|line| line.contains("range: ")).collect();
        shown += &format!("  GET {}\n", ranges.join(", "));
        assert!(request.starts_with("GET /ast_1.pdf?") && !request.contains(KEY), "{request}");
    }
    match result {
        Ok((length, bytes)) => shown += &format!("{length:?} bytes, whole {}", bytes == PDF),
        Err(Error::Transport(_)) => shown += "a transport error",
        Err(error) => {
            assert!(!format!("{error} {error:?}").contains(SIGNATURE), "{error}");
            shown += &error.to_string();
        }
    }
    shown + "\n\n"
}

#[tokio::test]
async fn whole_pdf_or_an_error_comes_of_what_a_host_sends() {
    const ETAG: &str = "etag: \"a\"\r\n";
    let (pdf, first) = (response("200 OK", ETAG, PDF), cut(ETAG));
    let overloaded = response("503 Service Unavailable", "", "");
    let without_body = exact_response("200 OK\r\ncontent-length: 24\r\n", "%P");
    let size = format!("200 OK\r\ncontent-length: {}\r\n", 64 * 1024 * 1024 + 1);
    let whole = rest(CUT, ETAG);
    let (head, body) = whole.split_once("\r\n\r\n").unwrap();
    let with = |length: &str, body: &str| {
        let head = head.replace("content-length: 15", &format!("content-length: {length}"));
        format!("{head}\r\n\r\n{body}")
    };
    let chunks = format!("9\r\n{}\r\nf\r\n{}\r\n", &PDF[..CUT], &PDF[CUT..]);
    let chunked = |chunks| exact_response("200 OK\r\ntransfer-encoding: chunked\r\n", chunks);
    let all = [
        shown("a page", [response("200 OK", "", "<html>Log in</html>")]).await,
        shown("a part", [response("206 Partial Content", "", PDF)]).await,
        shown("neither length nor end", [exact_response("200 OK\r\n", PDF)]).await,
        shown("above the limit", [exact_response(&size, PDF)]).await,
        shown("no first bytes", [overloaded.clone(), without_body, pdf.clone()]).await,
        shown("cut", [first.clone(), overloaded.clone(), rest(CUT, ETAG)]).await,
        shown("a host without ranges", [first.clone(), pdf]).await,
        shown("chunks", [chunked(&format!("{chunks}0\r\n\r\n"))]).await,
        shown("no last chunk", [chunked(&chunks)]).await,
        shown("another PDF", [first.clone(), response("200 OK", "etag: \"b\"\r\n", PDF)]).await,
        shown("another's rest", [first.clone(), rest(CUT, "etag: \"b\"\r\n")]).await,
        shown("a rest without a tag", [first.clone(), rest(CUT, "")]).await,
        shown("another rest", [first.clone(), rest(CUT - 1, ETAG)]).await,
        shown("another length", [first.clone(), whole.replace("/24", "/25")]).await,
        shown("a longer rest", [first.clone(), with("16", &format!("{body}!"))]).await,
        shown("a shorter rest", [first.clone(), with("14", &body[..14]), rest(23, ETAG)]).await,
        shown("no tag", [cut(""), rest(CUT, "")]).await,
        shown("a weak tag", [cut("etag: W/\"a\"\r\n"), rest(CUT, "etag: W/\"a\"\r\n")]).await,
        shown("the last attempt", [first, overloaded]).await,
    ];
    insta::assert_snapshot!(all.concat());
}

#[tokio::test]
async fn chunks_beyond_the_limit_are_an_error() {
    let head = "200 OK\r\ntransfer-encoding: chunked\r\n";
    let chunks = format!("9\r\n{}\r\nf\r\n{}\r\n0\r\n\r\n", &PDF[..CUT], &PDF[CUT..]);
    let stub = Stub::responding_exactly(head, chunks).await;
    let (client, statement) = (stub.client(), statement(&stub.base_url));
    let limited = client.download_statement(&statement).limit_bytes(23).send().await.unwrap();
    let error = limited.bytes().await.unwrap_err();
    assert!(error.to_string().contains("raise the limit with `limit_bytes`"), "{error}");
}

#[tokio::test]
async fn progress_counts_the_bytes_read_up_to_the_length_also_after_an_interruption() {
    const ETAG: &str = "etag: \"a\"\r\n";
    let stub = Stub::in_turn([cut(ETAG), rest(CUT, ETAG)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&seen);
    let download = download(&stub).await.unwrap();
    let download = download.on_progress(move |read| reports.lock().unwrap().push(read));
    download.bytes().await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [9, 24]);
}

#[tokio::test]
async fn no_error_and_no_debug_output_shows_the_link() {
    let cut = Stub::responding_exactly("200 OK\r\ncontent-length: 4096\r\n", PDF).await;
    let cut_short = begin(&cut).await.unwrap().bytes().await.unwrap_err();
    let echo = format!("<html>signature={SIGNATURE} is forbidden</html>");
    let forbidden = error_of("403 Forbidden", "", &echo).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (client, statement) = (cut.client(), statement(&host));
    let request = client.download_statement(&statement);
    let shown = format!("{request:?}");
    let offline = request.send().await.unwrap_err();
    assert!(matches!(cut_short, Error::Transport(_)), "{cut_short:?}");
    assert!(matches!(offline, Error::Transport(_)), "{offline:?}");
    let mut texts = vec![shown];
    for error in [&cut_short, &forbidden, &offline] {
        texts.push(format!("{error} {error:?}"));
    }
    for text in texts {
        assert!(!text.contains(SIGNATURE) && !text.contains(KEY), "{text}");
    }
}
