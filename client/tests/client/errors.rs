//! Errors: each kind has what a caller needs to act on it, and what support needs to find it.

use payout_client::{Error, connect};

use crate::stub::{KEY, Stub};

const HEADERS: &str = "content-type: application/json\r\nx-request-id: r-7\r\n";

async fn error_of(status: &str, headers: &str, body: &str) -> Error {
    let stub = Stub::responding(status, headers, body).await;
    stub.client().get_payout().id("pay_1").send().await.unwrap_err()
}

#[tokio::test]
async fn unauthorized_has_code_message_and_request() {
    let body = r#"{"error":{"code":"UNAUTHORIZED","message":"The key was revoked."}}"#;
    let error = error_of("401 Unauthorized", HEADERS, body).await;
    let response = error.api().unwrap();
    assert_eq!(response.status, 401);
    assert_eq!(response.code.as_deref(), Some("UNAUTHORIZED"));
    assert_eq!(response.details, None);
    assert_eq!(response.request_id.as_deref(), Some("r-7"));
    assert_eq!(
        error.to_string(),
        "401 Unauthorized UNAUTHORIZED: The key was revoked. (request r-7)"
    );
}

#[tokio::test]
async fn validation_failure_keeps_its_details() {
    let body = r#"{"error":{"code":"VALIDATION_FAILED","message":"One value is invalid.","details":
        {"issues":[{"in":"body","path":"/domain","code":"TOO_LONG","message":"Too long."}]}}}"#;
    let error = error_of("422 Unprocessable Entity", HEADERS, body).await;
    assert_eq!(error.code(), Some("VALIDATION_FAILED"));
    assert_eq!(error.api().unwrap().details.as_ref().unwrap()["issues"][0]["path"], "/domain");
}

#[tokio::test]
async fn code_of_a_newer_server_survives_with_unknown_fields() {
    let body = r#"{"error":{"code":"BRAND_NEW","message":"New.","hint":"x"},"trace":1}"#;
    let error = error_of("409 Conflict", HEADERS, body).await;
    assert_eq!((error.status().unwrap().as_u16(), error.code()), (409, Some("BRAND_NEW")));
}

#[tokio::test]
async fn error_page_of_a_proxy_keeps_status_and_text() {
    let page = "<html><body>upstream is away</body></html>";
    let error = error_of(
        "500 Internal Server Error",
        "content-type: text/html\r\nx-request-id: r-8\r\n",
        page,
    )
    .await;
    let response = error.api().unwrap();
    assert_eq!((response.status.as_u16(), response.code.as_deref()), (500, None));
    assert_eq!(response.message, page);
    assert_eq!(error.request_id(), Some("r-8"));
}

#[tokio::test]
async fn decode_error_has_place_status_and_request() {
    let error = error_of("200 OK", HEADERS, r#"{"data":{"id":7}}"#).await;
    assert!(matches!(error, Error::Decode(_)), "{error:?}");
    assert_eq!(error.status().unwrap(), 200);
    let text = error.to_string();
    assert!(text.contains("data.id: ") && text.contains("(request r-7)"), "{text}");
}

#[tokio::test]
async fn response_cut_short_is_a_transport_error() {
    let stub = Stub::responding("200 OK", "content-length: 4096\r\n", "{}").await;
    let error = stub.client().get_payout().id("pay_1").send().await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert_eq!(error.status(), None);
}

#[tokio::test]
async fn unreachable_server_is_a_transport_error_without_the_key() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = connect(&base_url, KEY).unwrap();
    let error = client.get_payout().id("pay_1").send().await.unwrap_err();
    assert!(matches!(&error, Error::Transport(cause) if cause.is_connect()), "{error:?}");
    assert!(!format!("{error} {error:?}").contains(KEY));
}
