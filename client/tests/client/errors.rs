//! Errors: each kind has what a caller needs to act on it, and what support needs to find it.

use std::fmt::Write as _;

use payout_client::{Client, Error, RetryPolicy};

use crate::{
    downloads::begin,
    stub::{KEY, Stub},
};

async fn error_of(status: &str, headers: &str, body: &str) -> Error {
    let stub = Stub::responding(status, headers, body).await;
    stub.client().get_payout("pay_1").send().await.unwrap_err()
}

/// The error of a link that works until 13:00 of 1 June 2026.
async fn link_error_of(status: &str, headers: &str, body: &str) -> Error {
    let stub = Stub::responding(status, headers, body).await;
    begin(&stub).await.unwrap_err()
}

/// Shows the errors of these responses as callers see them. Each response is given by a title, its
/// status, its headers and its body.
async fn shown(responses: &str, error_of: impl AsyncFn(&str, &str, &str) -> Error) -> String {
    let mut shown = String::new();
    for response in responses.trim_end().split("\n===\n") {
        let (head, body) = response.split_once("\n\n").unwrap();
        let mut lines = head.lines();
        let (what, status) = (lines.next().unwrap(), lines.next().unwrap());
        let headers: String = lines.map(|line| format!("{line}\r\n")).collect();
        let error = error_of(status, &headers, body).await;
        let (text, debug) = (error.to_string(), format!("{error:?}"));
        assert!(![&text, &debug].iter().any(|it| it.contains(char::is_control)), "{text}");
        let message = error.response().map(|response| &response.message);
        let (status, code, details) = (error.status(), error.code(), error.details());
        let (request, may_pass, sent) =
            (error.request_id(), error.is_retryable(), error.was_sent());
        write!(
            shown,
            "# {what}\n{text}\n{debug}\nstatus {status:?}, code {code:?}, message {message:?}\n\
             details {details:?}\nrequest {request:?}, may pass {may_pass}, was sent {sent}\n\n"
        )
        .unwrap();
    }
    shown
}

#[tokio::test]
async fn each_response_is_the_error_of_its_meaning() {
    insta::assert_snapshot!(shown(include_str!("errors.txt"), error_of).await);
}

/// The host's code or date decides whether a link has expired, never the clock of this machine.
#[tokio::test]
async fn each_response_of_a_links_host_is_the_error_of_its_meaning() {
    insta::assert_snapshot!(shown(include_str!("link_errors.txt"), link_error_of).await);
}

#[tokio::test]
async fn large_page_of_an_error_is_an_error_with_its_status() {
    let page = "<p>".repeat(6 * 1024 * 1024);
    let error = error_of("500 Internal Server Error", "", &page).await;
    assert!(matches!(error, Error::Unexpected { .. }), "{:?}", error.status());
    assert!(error.to_string().len() < 300, "{error}");
}

#[tokio::test]
async fn unreachable_server_is_a_transport_error_without_the_key() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let builder = Client::builder().base_url(&base_url).key(KEY).retries(RetryPolicy::none());
    let client = builder.build().unwrap();
    let error = client.get_payout("pay_1").send().await.unwrap_err();
    assert!(!error.was_sent() && error.is_retryable(), "{error:?}");
    assert!(error.to_string().contains("Connection refused"), "{error}");
    assert!(!format!("{error} {error:?}").contains(KEY));
}
