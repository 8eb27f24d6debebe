//! R3, R4, R9: the form of requests: which errors are reported, and in which order.

use poem::http::Method;
use serde_json::json;

use crate::support::{Key, TestRequest, TestServer, dataset::*, snapshot};

/// Every operation with this query.
fn operations(server: &TestServer, query: &str) -> Vec<TestRequest> {
    let get = |path: &str| server.get(Key::MAIN, &format!("/api/v1/{path}?{query}"));
    vec![
        get("partners"),
        get(&format!("partners/{BARE}")),
        server.update(&format!("{BARE}?{query}"), json!({})),
        get("commission-lines"),
        server.post(Key::MAIN, &format!("/api/v1/commission-lines/{DETACHABLE}/detach?{query}")),
        get(&format!("payouts/{ONE_LINE}")),
    ]
}

#[tokio::test]
async fn unknown_query_parameter_is_rejected_by_every_operation() {
    let server = TestServer::start().await;
    for name in ["page", "Limit", "limit%20", "api_key"] {
        let shown = name.replace("%20", " ");
        for request in operations(&server, &format!("{name}=1")) {
            let response = request.expect(422).await;
            assert_eq!(response.issues(), [format!("query /{shown} UNKNOWN_PARAMETER")]);
        }
    }
    let payout = server.get(Key::MAIN, &format!("/api/v1/payouts/{ONE_LINE}?expand=lines"));
    snapshot("get_payout", "unknown_parameter", &payout.expect(422).await);
    let line =
        server.post(Key::MAIN, &format!("/api/v1/commission-lines/{DETACHABLE}/detach?force=1"));
    snapshot("detach_commission_line", "unknown_parameter", &line.expect(422).await);
    let partner = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}?fields=name"));
    snapshot("get_partner", "unknown_parameter", &partner.expect(422).await);
}

#[tokio::test]
async fn empty_query_is_none() {
    let server = TestServer::start().await;
    for query in ["", "&", "&&&"] {
        for request in operations(&server, query).into_iter().take(4) {
            request.expect(200).await;
        }
    }
}

#[tokio::test]
async fn repeated_query_parameter_is_rejected_even_where_both_agree() {
    let server = TestServer::start().await;
    let repeated = [
        ("partners?limit=5&limit=5", "limit"),
        ("partners?limit=5&%6Cimit=5", "limit"),
        ("commission-lines?status=PENDING&status=VOIDED", "status"),
        ("commission-lines?partnerId=a&partnerId=a&partnerId=a", "partnerId"),
    ];
    for (path, name) in repeated {
        let response = server.get(Key::MAIN, &format!("/api/v1/{path}")).expect(422).await;
        assert_eq!(response.issues(), [format!("query /{name} REPEATED_PARAMETER")]);
    }
}

#[tokio::test]
async fn query_is_decoded_once_and_rejected_where_it_cannot_be() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines?partnerId={}", NORDWIND.replace('_', "%5F"));
    assert_eq!(server.get(Key::MAIN, &path).expect(200).await.ids().len(), 25);
    for broken in ["%", "%4", "%zz", "%ff", "a%C3"] {
        let path = format!("/api/v1/commission-lines?partnerId={broken}");
        let response = server.get(Key::MAIN, &path).expect(422).await;
        assert_eq!(response.issues(), ["query /partnerId BAD_FORMAT"], "{broken}");
    }
}

#[tokio::test]
async fn violations_of_query_header_and_body_are_named_in_one_answer() {
    let server = TestServer::start().await;
    let version = "2026-05-20";
    let request = server.update(&format!("{BARE}?x=1"), json!({"name": ""}));
    let request = request.header("api-version", version).header("api-version", version);
    let expected = [
        "query /x UNKNOWN_PARAMETER",
        "header /api-version REPEATED_PARAMETER",
        "body /name TOO_SHORT",
    ];
    assert_eq!(request.expect(422).await.issues(), expected);
}

#[tokio::test]
async fn of_several_faults_the_first_in_the_decided_order_is_reported() {
    let server = TestServer::start().await;
    let request = |query: &str, content_type: &str, body: String| {
        let path = format!("/api/v1/partners/{BARE}?{query}");
        let request = server.request(Method::PATCH, &path).header("content-type", content_type);
        request.header("x-api-key", server.key(Key::MAIN)).body(body)
    };
    let (json, large) = ("application/json", "x".repeat(64 * 1024 + 1));
    request("x=1", "text/plain", large.clone()).expect(415).await;
    request("x=1", json, large).expect(413).await;
    let broken = request("x=1", json, "{".into()).expect(400).await;
    assert_eq!(broken.code(), "INVALID_JSON");
    request("x=1", json, "{}".into()).expect(422).await;
    request("", json, "{}".into()).expect(200).await;
}

#[tokio::test]
async fn unparseable_part_is_reported_before_a_broken_rule() {
    let server = TestServer::start().await;
    let response = server.get(Key::MAIN, "/api/v1/partners?cursor=!&limit=0").expect(400).await;
    assert_eq!(response.code(), "INVALID_CURSOR");
    let request = server.get(Key::MAIN, "/api/v1/partners?limit=0");
    let response = request.header("api-version", "1999-01-01").expect(400).await;
    assert_eq!(response.code(), "UNSUPPORTED_API_VERSION");
}

#[tokio::test]
async fn rejected_form_changes_nothing() {
    let server = TestServer::start().await;
    for request in operations(&server, "x=1") {
        request.expect(422).await;
    }
    let payout = server.get(Key::MAIN, &format!("/api/v1/payouts/{TO_DETACH}")).expect(200).await;
    assert_eq!(payout.body["data"]["amount"]["value"], "79.92");
}

#[tokio::test]
async fn an_answer_lists_the_first_hundred_issues_and_counts_them_all() {
    let server = TestServer::start().await;
    let unknown: Vec<String> = (0..500).map(|number| format!("p{number}=1")).collect();
    let path = format!("/api/v1/partners?{}", unknown.join("&"));
    let response = server.get(Key::MAIN, &path).expect(422).await;
    assert_eq!(response.issues().len(), 100);
    assert_eq!(
        response.body["error"]["message"],
        "500 values of the request break a rule; details.issues lists the first 100."
    );
}
