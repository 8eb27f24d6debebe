//! The server rejects requests that break the document, and says why.

use openapi_document::Operation;

use crate::{
    document::{DOCUMENT, any_path},
    server::{Response, Server, WITH_KEY},
};

/// Returns the error, which is the body of a problem, and inside of other bodies.
fn error(response: &Response) -> &serde_json::Value {
    response.body.get("error").unwrap_or(&response.body)
}

fn reason(response: &Response) -> &str {
    error(response)["reason"].as_str().unwrap()
}

fn operations() -> impl Iterator<Item = (&'static Operation, &'static str, String)> {
    DOCUMENT
        .operations()
        .iter()
        .map(|operation| (operation, operation.method.as_str(), any_path(operation)))
}

#[tokio::test]
async fn requests_that_break_the_document_are_rejected_with_every_violation() {
    let server = Server::start();
    for line in include_str!("rejected.txt").lines().skip(1) {
        let (request, expected) = line.rsplit_once(" => ").unwrap();
        let response = server.send_line(request).await;
        let issues = error(&response)["details"]["issues"].as_array();
        let issue = |issue: &serde_json::Value| {
            let text = |name: &str| issue[name].as_str().unwrap().to_owned();
            [text("path"), text("code")].join(" ")
        };
        let found = match (response.status, issues) {
            (422, Some(issues)) => issues.iter().map(issue).collect::<Vec<_>>().join(", "),
            (status, _) => format!("{status} {}", reason(&response)),
        };
        assert_eq!(found, expected, "{request}");
    }
}

#[tokio::test]
async fn unknown_method_is_refused_with_those_of_the_path() {
    let response = Server::start().send_line("PUT /books {}").await;
    assert_eq!(response.headers["allow"], "GET, POST");
}

#[tokio::test]
async fn problem_has_the_media_type_and_the_members_of_its_operation() {
    let server = Server::start();
    let body = r#"{"method":"cash","cents":0}"#.to_owned();
    let json = "application/json";
    let response = server.send_as("POST", "/fines/1/payments", json, WITH_KEY, body).await;
    assert_eq!(response.headers["content-type"], "application/problem+json");
    assert_eq!(response.body["type"], "about:blank");
    assert_eq!(response.body["title"], "Unprocessable Entity");
    assert_eq!(response.body["status"], 422);
    let detail = "1 value of the request breaks a rule; details.issues lists it.";
    assert_eq!(response.body["detail"], detail);
}

#[tokio::test]
async fn key_is_required_but_for_open_operations() {
    let server = Server::start();
    for (operation, method, path) in operations() {
        for authorization in ["", "Bearer wrong", "Basic secret"] {
            let response = server.send_as(method, &path, "", authorization, String::new()).await;
            let is_refused = response.status == 401;
            let is_open = operation.security.iter().any(Vec::is_empty);
            let requires_key = !operation.security.is_empty() && !is_open;
            assert_eq!(is_refused, requires_key, "{}", operation.id);
            if is_refused {
                assert_eq!(reason(&response), "UNAUTHORIZED");
            }
        }
    }
}

#[tokio::test]
async fn body_is_json_and_absent_only_where_it_is_optional() {
    let server = Server::start();
    for (operation, method, path) in operations() {
        let Some(body) = &operation.body else { continue };
        let text = server.send_as(method, &path, "text/plain", WITH_KEY, "{}".to_owned()).await;
        assert_eq!((text.status, reason(&text)), (415, "UNSUPPORTED_MEDIA_TYPE"));
        let json = "application/json";
        if body.content[0].content_type != json {
            continue;
        }
        for broken in ["{", r#"{"a": 1, "a": 2}"#, "{} {}"] {
            let response = server.send_as(method, &path, json, WITH_KEY, broken.to_owned()).await;
            assert_eq!((response.status, reason(&response)), (400, "INVALID_JSON"), "{broken}");
        }
        let absent = server.send_as(method, &path, json, WITH_KEY, String::new()).await;
        assert_eq!(absent.status == 400, body.required, "{}", operation.id);
        let large = format!("\"{}\"", "a".repeat(openapi_runtime::BODY_LIMIT));
        assert_eq!(server.send_as(method, &path, json, WITH_KEY, large).await.status, 413);
    }
}
