//! Errors: each kind has what a caller needs to act on it, and what support needs to find it.

use payout_client::{
    Client, Details, Error, ErrorCode, RetryPolicy,
    types::{PayoutStage, ViolationCode},
};

use crate::stub::{KEY, Stub};

const HEADERS: &str = "content-type: application/json\r\nx-request-id: r-7\r\n";

async fn error_of(status: &str, headers: &str, body: &str) -> Error {
    let stub = Stub::responding(status, headers, body).await;
    stub.client().get_payout("pay_1").send().await.unwrap_err()
}

#[tokio::test]
async fn unauthorized_has_code_message_and_request() {
    let body = r#"{"error":{"code":"UNAUTHORIZED","message":"The key was revoked."}}"#;
    let error = error_of("401 Unauthorized", HEADERS, body).await;
    let Error::Unauthorized { response } = &error else { panic!("{error:?}") };
    assert_eq!(response.status, 401);
    assert_eq!(response.code, Some(ErrorCode::Unauthorized));
    assert_eq!(response.details, None);
    assert_eq!(response.headers["content-type"], "application/json");
    assert_eq!(error.request_id(), Some("r-7"));
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
    assert_eq!(error.code(), Some(&ErrorCode::ValidationFailed));
    let Error::Invalid { issues, .. } = error else { panic!("{error:?}") };
    assert_eq!((&*issues[0].path, &issues[0].code), ("/domain", &ViolationCode::TooLong));
}

#[tokio::test]
async fn text_of_an_invalid_request_names_the_issues_up_to_a_limit() {
    let issue = r#"{"in":"body","path":"/domain","code":"TOO_LONG","message":"Too long."}"#;
    let issues = [issue; 12].join(",");
    let body = format!(
        r#"{{"error":{{"code":"VALIDATION_FAILED","message":"12 are invalid.",
        "details":{{"issues":[{issues}]}}}}}}"#
    );
    let text = error_of("422 Unprocessable Entity", HEADERS, &body).await.to_string();
    assert_eq!(text.matches("; /domain: Too long.").count(), 10, "{text}");
    assert!(text.ends_with("; and 2 more"), "{text}");
}

#[tokio::test]
async fn debug_is_one_line_with_the_message_and_the_details() {
    let body = r#"{"error":{"code":"INSUFFICIENT_SCOPE","message":"The key lacks a scope.",
        "details":{"requiredScope":"partners:read"}}}"#;
    let error = error_of("403 Forbidden", HEADERS, body).await;
    let expected = "MissingScope { required: \"partners:read\", response: \
                    403 Forbidden INSUFFICIENT_SCOPE: The key lacks a scope. (request r-7) \
                    {\"requiredScope\":\"partners:read\"} }";
    assert_eq!(format!("{error:?}"), expected);
}

#[tokio::test]
async fn code_of_a_newer_server_survives_with_unknown_fields() {
    let body = r#"{"error":{"code":"BRAND_NEW","message":"New.","hint":"x"},"trace":1}"#;
    let error = error_of("409 Conflict", HEADERS, body).await;
    let Error::State { code, .. } = &error else { panic!("{error:?}") };
    assert_eq!((error.status().unwrap().as_u16(), code.as_str()), (409, "BRAND_NEW"));
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
    let Error::Unexpected { response } = &error else { panic!("{error:?}") };
    assert_eq!((response.status.as_u16(), &response.code), (500, &None));
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
async fn success_that_is_no_json_is_described_and_one_that_begins_like_json_is_not_shown() {
    let page = error_of("200 OK", "content-type: text/html\r\n", "<html>Log in</html>").await;
    let text = page.to_string();
    assert!(text.contains("its content type is text/html, it begins \"<html>Log in"), "{text}");
    let headers = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    let packed = error_of("200 OK", headers, "\u{1f}packed").await.to_string();
    assert!(packed.contains("application/json, encoded as gzip"), "{packed}");
    let link = error_of("200 OK", HEADERS, r#"{"downloadUrl":"https://secret.example" oops"#).await;
    assert!(!link.to_string().contains("secret"), "{link}");
}

#[tokio::test]
async fn large_page_of_an_error_is_an_error_with_its_status() {
    let page = "<p>".repeat(6 * 1024 * 1024);
    let error = error_of("500 Internal Server Error", "", &page).await;
    assert!(matches!(error, Error::Unexpected { .. }), "{:?}", error.status());
    assert!(error.to_string().len() < 300, "{error}");
}

#[tokio::test]
async fn control_characters_of_a_server_reach_neither_terminal_nor_log() {
    let body =
        r#"{"error":{"code":"A\u001b[31m","message":"a\nb\u202e","details":{"x":"\u009b"}}}"#;
    let error = error_of("409 Conflict", HEADERS, body).await;
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(text.contains(r"A\u{1b}[31m: a\nb\u{202e}"), "{text}");
        assert!(!text.contains(|character: char| character.is_control()), "{text}");
    }
    assert_eq!(error.response().unwrap().message, "a\nb\u{202e}", "programs get it unchanged");
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

#[tokio::test]
async fn each_meaning_has_what_a_caller_needs() {
    let envelope = |code: &str, details: &str| {
        format!(r#"{{"error":{{"code":"{code}","message":"No.","details":{details}}}}}"#)
    };
    let scope = envelope("INSUFFICIENT_SCOPE", r#"{"requiredScope":"partners:read"}"#);
    let error = error_of("403 Forbidden", HEADERS, &scope).await;
    assert!(matches!(&error, Error::MissingScope { required, .. } if required == "partners:read"));

    let wait = envelope("RATE_LIMITED", r#"{"retryAfterSeconds":7}"#);
    let error = error_of("429 Too Many Requests", HEADERS, &wait).await;
    assert!(matches!(&error, Error::RateLimited { wait, .. } if wait.as_secs() == 7), "{error:?}");

    let credits = envelope("API_CREDITS_EXHAUSTED", r#"{"retryAfterSeconds":86400}"#);
    let error = error_of("402 Payment Required", HEADERS, &credits).await;
    let Error::CreditsExhausted { resets_in, .. } = error else { panic!("{error:?}") };
    assert_eq!(resets_in.as_secs(), 86_400);

    let error = error_of("404 Not Found", HEADERS, &envelope("NOT_FOUND", "null")).await;
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    let error = error_of("404 Not Found", HEADERS, &envelope("GONE_FOR_GOOD", "null")).await;
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    // A proxy sends it, or a server with another API.
    let error = error_of("404 Not Found", HEADERS, "<html>no such page</html>").await;
    assert!(matches!(error, Error::Unexpected { .. }), "{error:?}");
}

#[tokio::test]
async fn stale_cursor_and_an_ended_version_have_meanings_of_their_own() {
    let body = r#"{"error":{"code":"INVALID_CURSOR","message":"No."}}"#;
    let error = error_of("400 Bad Request", HEADERS, body).await;
    assert!(matches!(error, Error::InvalidCursor { .. }), "{error:?}");
    let body = r#"{"error":{"code":"UNSUPPORTED_API_VERSION","message":"No."}}"#;
    let error = error_of("400 Bad Request", HEADERS, body).await;
    assert!(matches!(error, Error::UnsupportedVersion { .. }), "{error:?}");
}

#[tokio::test]
async fn limit_of_a_gateway_is_a_limit_with_its_wait() {
    let headers = "content-type: text/html\r\nretry-after: 2\r\n";
    let error = error_of("429 Too Many Requests", headers, "<html>slow down</html>").await;
    assert!(matches!(&error, Error::RateLimited { wait, .. } if wait.as_secs() == 2), "{error:?}");
    assert_eq!((error.code(), error.is_retryable()), (None, true));
}

#[tokio::test]
async fn waits_without_a_hint_end_with_the_minute_and_the_month() {
    let bare = |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"No."}}}}"#);
    let error = error_of("429 Too Many Requests", HEADERS, &bare("RATE_LIMITED")).await;
    let Error::RateLimited { wait, .. } = error else { panic!("{error:?}") };
    assert!((1..=60).contains(&wait.as_secs()), "{wait:?}");
    let error = error_of("402 Payment Required", HEADERS, &bare("API_CREDITS_EXHAUSTED")).await;
    let Error::CreditsExhausted { resets_in, .. } = error else { panic!("{error:?}") };
    assert!(resets_in.as_secs() <= 31 * 24 * 60 * 60, "{resets_in:?}");
}

#[tokio::test]
async fn details_have_the_types_of_their_codes() {
    let body = r#"{"error":{"code":"INVALID_STAGE_TRANSITION","message":"No.",
        "details":{"stage":"PAID","allowed":["FAILED","ARCHIVED"],"hint":1}}}"#;
    let error = error_of("422 Unprocessable Entity", HEADERS, body).await;
    let Some(Details::StageTransition(details)) = error.details() else { panic!("{error:?}") };
    assert_eq!(details.stage, PayoutStage::Paid);
    assert_eq!(details.allowed[1], PayoutStage::Unknown("ARCHIVED".to_owned()));
    assert_eq!(details.unknown_fields["hint"], 1);
}
