//! R3, R4, R9, §5: malformed requests that the suite does not send: a query that cannot be decoded,
//! hundreds of violations, two content types, a key in a cookie.

use poem::http::Method;

use crate::support::{Key, TestServer, dataset::BARE};

#[tokio::test]
async fn query_that_is_not_percent_encoded_utf_8_is_a_422() {
    let server = TestServer::start().await;
    for value in ["%", "%4", "%zz", "%ff", "a%C3"] {
        let path = format!("/api/v1/commission-lines?partnerId={value}");
        let response = server.get(Key::MAIN, &path).expect(422).await;
        let issue = &response.body["error"]["details"]["issues"][0];
        assert_eq!((&issue["path"], &issue["code"]), (&"/partnerId".into(), &"BAD_FORMAT".into()));
    }
}

#[tokio::test]
async fn response_lists_the_first_hundred_issues_and_counts_them_all() {
    let server = TestServer::start().await;
    let unknown: Vec<String> = (0..500).map(|number| format!("p{number}=1")).collect();
    let path = format!("/api/v1/partners?{}", unknown.join("&"));
    let response = server.get(Key::MAIN, &path).expect(422).await;
    assert_eq!(response.body["error"]["details"]["issues"].as_array().unwrap().len(), 100);
    let message = "500 values of the request break a rule; details.issues lists the first 100.";
    assert_eq!(response.message(), message);
}

#[tokio::test]
async fn body_with_two_content_types_is_a_415() {
    let server = TestServer::start().await;
    let request = server.request(Method::PATCH, &format!("/api/v1/partners/{BARE}"));
    let request = request.header("x-api-key", server.key(Key::MAIN)).body("{}");
    let json = "application/json";
    request.header("content-type", json).header("content-type", json).expect(415).await;
}

#[tokio::test]
async fn key_in_a_cookie_is_not_accepted() {
    let server = TestServer::start().await;
    let request = server.request(Method::GET, "/api/v1/partners");
    request.header("cookie", format!("x-api-key={}", server.key(Key::MAIN))).expect(401).await;
}
