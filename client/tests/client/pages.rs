//! Pages and items: requested when they are asked for, each once, and resumed where they stopped.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use payout_client::{RetryPolicy, types::Cursor};

use crate::stub::{Stub, error, response};

/// A page of payouts with these ids, and the cursor of the next page.
fn page(ids: &[&str], next: Option<&str>) -> String {
    let payout = |id: &&str| {
        format!(
            r#"{{"id":"{id}","batchId":"pbt_1","partner":{{"id":"ptn_1","name":"Nordwind"}},
            "periodStart":"2026-05-01T00:00:00.000Z","periodEnd":"2026-05-31T23:59:59.999Z",
            "amount":{{"value":"1.00","currency":"EUR"}},"stage":"DRAFT","poNumber":null,
            "createdAt":"2026-06-01T08:00:00.000Z","updatedAt":"2026-06-01T08:00:00.250Z"}}"#
        )
    };
    let payouts: Vec<String> = ids.iter().map(payout).collect();
    let next = next.map_or("null".to_owned(), |next| format!("\"{next}\""));
    let payouts = payouts.join(",");
    let body = format!(r#"{{"data":[{payouts}],"pagination":{{"nextCursor":{next}}}}}"#);
    response("200 OK", "", &body)
}

pub(crate) fn three_pages() -> [String; 3] {
    [page(&["pay_1", "pay_2"], Some("b")), page(&[], Some("c")), page(&["pay_3"], None)]
}

fn first_lines(stub: &Stub) -> Vec<String> {
    stub.requests().iter().map(|request| request.lines().next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn items_of_all_pages_come_with_the_filters_of_the_first() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let list = client.list_payouts().stage("DRAFT").limit(2);
    let payouts: Vec<_> = list.stream().try_collect().await.unwrap();
    let ids: Vec<&str> = payouts.iter().map(|payout| payout.id.as_str()).collect();
    assert_eq!(ids, ["pay_1", "pay_2", "pay_3"]);
    assert_eq!(
        first_lines(&stub),
        [
            "GET /api/v1/payouts?limit=2&stage=DRAFT HTTP/1.1",
            "GET /api/v1/payouts?cursor=b&limit=2&stage=DRAFT HTTP/1.1",
            "GET /api/v1/payouts?cursor=c&limit=2&stage=DRAFT HTTP/1.1",
        ]
    );
}

#[tokio::test]
async fn page_is_requested_when_it_is_asked_for() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let mut payouts = client.list_payouts().stream();
    assert_eq!(stub.requests().len(), 0);
    payouts.next().await.unwrap().unwrap();
    payouts.next().await.unwrap().unwrap();
    assert_eq!(stub.requests().len(), 1);
    payouts.next().await.unwrap().unwrap();
    assert!(payouts.next().await.is_none() && payouts.next().await.is_none());
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn failed_page_is_repeated_and_not_the_list() {
    let [first, second, third] = three_pages();
    let overloaded = error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null");
    let stub = Stub::in_turn([first, overloaded, second, third]).await;
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let client = stub.builder().retries(retries).build().unwrap();
    assert_eq!(client.list_payouts().stream().count().await, 3);
    let cursors: Vec<bool> =
        first_lines(&stub).iter().map(|line| line.contains("cursor=b")).collect();
    assert_eq!(cursors, [false, true, true, false]);
}

#[tokio::test]
async fn list_ends_after_an_error_and_goes_on_from_its_cursor() {
    let [first, second, third] = three_pages();
    let failed = error("500 Internal Server Error", "INTERNAL_ERROR", "null");
    let stub = Stub::in_turn([first, failed, second, third]).await;
    let client = stub.client();
    let mut payouts = client.list_payouts().stream();
    let mut seen = Vec::new();
    while let Some(Ok(payout)) = payouts.next().await {
        seen.push(payout.id);
    }
    assert!(payouts.next().await.is_none(), "no loop without end");
    let resumed = client.list_payouts().cursor(payouts.cursor().unwrap().clone());
    let mut resumed = resumed.stream();
    while let Some(payout) = resumed.next().await.transpose().unwrap() {
        seen.push(payout.id);
    }
    let seen: Vec<&str> = seen.iter().map(|id| id.as_str()).collect();
    assert_eq!(seen, ["pay_1", "pay_2", "pay_3"]);
}

#[tokio::test]
async fn cursor_of_items_is_that_of_the_page_in_hand() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let mut payouts = client.list_payouts().stream();
    payouts.next().await.unwrap().unwrap();
    assert_eq!(payouts.cursor(), None, "the first page has a second item");
    payouts.next().await.unwrap().unwrap();
    payouts.next().await.unwrap().unwrap();
    assert_eq!(payouts.cursor(), Some(&Cursor("c".to_owned())));
}

#[tokio::test]
async fn pages_have_their_responses_and_the_cursor_of_the_next() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let mut pages = client.list_payouts().pages();
    let mut lengths = Vec::new();
    while let Some(page) = pages.next().await.transpose().unwrap() {
        assert_eq!(page.status(), 200);
        lengths.push((page.data.len(), pages.cursor().cloned().map(|cursor| cursor.0)));
    }
    let cursor = |text: &str| Some(text.to_owned());
    assert_eq!(lengths, [(2, cursor("b")), (0, cursor("c")), (1, cursor("c"))]);
}

#[tokio::test]
async fn invalid_filter_is_the_only_item() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let results: Vec<_> = client.list_payouts().limit(0).stream().collect().await;
    assert!(
        matches!(&results[..], [Err(payout_client::Error::InvalidRequest { .. })]),
        "{results:?}"
    );
    assert!(stub.requests().is_empty());
}
