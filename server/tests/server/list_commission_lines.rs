//! §4.4, R10: list commission lines.

use crate::support::{Key, TestResponse, TestServer, dataset::*, snapshot};

async fn list(server: &TestServer, query: &str) -> TestResponse {
    let path = format!("/api/v1/commission-lines?{query}");
    server.get(Key::MAIN, &path).send().await
}

#[tokio::test]
async fn list_commission_lines_answers_items_without_idempotency_key() {
    let server = TestServer::start().await;
    let response = list(&server, "limit=2").await;
    snapshot("list_commission_lines", "first_page", &response);
    let response = list(&server, &format!("payoutId={ONE_LINE}")).await;
    snapshot("list_commission_lines", "of_one_payout", &response);
    assert!(!response.text.contains("idempotencyKey"));
}

#[tokio::test]
async fn list_commission_lines_joins_filters_by_and() {
    let server = TestServer::start().await;
    let count =
        async |query: String| list(&server, &format!("limit=100&{query}")).await.ids().len();
    assert_eq!(count(format!("partnerId={NORDWIND}")).await, 83);
    assert_eq!(count(format!("partnerId={NORDWIND}&status=PENDING")).await, 31);
    assert_eq!(count(format!("payoutId={TO_DETACH}")).await, 24);
    assert_eq!(count(format!("payoutId={TO_DETACH}&partnerId={NORDWIND}")).await, 0);
    assert_eq!(count(format!("payoutId={TO_DETACH}&status=PENDING")).await, 0);
    assert_eq!(count(format!("payoutId={TO_DETACH}&status=IN_PAYOUT")).await, 24);
    assert_eq!(count("status=VOIDED".into()).await, 5);
    assert_eq!(count("status=EXPECTED".into()).await, 11);
}

#[tokio::test]
async fn list_commission_lines_holds_25_without_a_limit() {
    let server = TestServer::start().await;
    let response = server.get(Key::MAIN, "/api/v1/commission-lines").expect(200).await;
    assert_eq!(response.ids().len(), 25);
    assert!(response.next_cursor().is_some());
}

#[tokio::test]
async fn list_commission_lines_is_empty_for_foreign_and_absent_names_alike() {
    let server = TestServer::start().await;
    let empty = list(&server, &format!("partnerId={NO_PARTNER}")).await;
    snapshot("list_commission_lines", "empty", &empty);
    let others = [
        format!("partnerId={FOREIGN_PARTNER}"),
        format!("payoutId={NO_PAYOUT}"),
        format!("payoutId={FOREIGN_PAYOUT}"),
        format!("partnerId={NORDWIND_EXTERNAL}"),
        format!("payoutId={EMPTY}"),
    ];
    for query in others {
        assert_eq!(list(&server, &query).await.text, empty.text, "{query}");
    }
}

#[tokio::test]
async fn list_commission_lines_rejects_filters_that_cannot_be() {
    let server = TestServer::start().await;
    let wrong = [
        ("status=PAID", "query /status NOT_IN_ENUM"),
        ("status=pending", "query /status NOT_IN_ENUM"),
        ("status=", "query /status NOT_IN_ENUM"),
        ("partnerId=", "query /partnerId TOO_SHORT"),
        ("payoutId=", "query /payoutId TOO_SHORT"),
        ("partnerId=%00", "query /partnerId BAD_FORMAT"),
        ("payoutId=a%00", "query /payoutId BAD_FORMAT"),
    ];
    for (query, issue) in wrong {
        let response = list(&server, query).await;
        assert_eq!((response.status.as_u16(), response.issues()), (422, vec![issue.to_owned()]));
    }
    let response =
        list(&server, "limit=0&status=PAID&partnerId=&state=x&payoutId=a&payoutId=b").await;
    snapshot("list_commission_lines", "many_violations", &response);
}

#[tokio::test]
async fn list_commission_lines_carries_amounts_exactly() {
    let server = TestServer::start().await;
    let response = list(&server, &format!("payoutId={HUGE}")).await;
    let exact = r#""amount":"90071992547409.93","sourceAmount":"900719925474099.30""#;
    assert!(response.text.contains(exact), "{}", response.text);
    let response = list(&server, "partnerId=ptn_01JV3N8Q5R000000000000000H").await;
    assert!(response.text.contains(r#""amount":"0.00""#), "{}", response.text);
    let response = list(&server, &format!("payoutId={NEGATIVE}")).await;
    assert!(response.text.contains(r#""amount":"-75.25""#), "{}", response.text);
}
