//! Pages and items: requested when they are asked for, each once, and resumed where they stopped.

use std::time::Duration;

use futures_util::{Stream, StreamExt, TryStreamExt};
use hyper::http;
use payout_client::{
    BoxFuture, Client, Error, Middleware, Next, RetryPolicy, TransportError, reqwest,
    types::{Cursor, Payout},
};

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

/// The ids of the items, and the errors.
fn shown(items: &[Result<Payout, Error>]) -> Vec<String> {
    let shown = |item: &Result<Payout, Error>| match item {
        Ok(payout) => payout.id.to_string(),
        Err(error) => error.to_string(),
    };
    items.iter().map(shown).collect()
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
    let mut resumed = client.list_payouts().resume(payouts.cursor()).stream();
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
    assert_eq!(payouts.cursor(), Some(&Cursor::from("c")));
}

#[tokio::test]
async fn pages_have_their_responses_and_the_cursor_of_the_next() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let mut pages = client.list_payouts().pages();
    let mut lengths = Vec::new();
    while let Some(page) = pages.next().await.transpose().unwrap() {
        assert_eq!(page.status(), 200);
        lengths.push((page.data.len(), pages.cursor().map(ToString::to_string)));
    }
    let cursor = |text: &str| Some(text.to_owned());
    assert_eq!(lengths, [(2, cursor("b")), (0, cursor("c")), (1, cursor("c"))]);
}

#[tokio::test]
async fn invalid_filter_is_the_only_item() {
    let stub = Stub::in_turn(three_pages()).await;
    let client = stub.client();
    let results: Vec<_> = client.list_payouts().limit(0).stream().collect().await;
    assert!(matches!(&results[..], [Err(Error::InvalidRequest { .. })]), "{results:?}");
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn list_ends_where_a_cursor_is_repeated() {
    let repeated = "the list repeats the cursor ";
    for (next, start, requests) in [
        (vec![Some("b")], None, 2),
        (vec![Some("")], None, 2),
        (vec![Some("b"), Some("c"), Some("b")], None, 3),
        (vec![Some("b"), Some("a")], Some("a"), 2),
    ] {
        let pages = next.iter().map(|next| page(&["pay_1"], *next));
        let stub = Stub::in_turn(pages).await;
        let list = stub.client().list_payouts().resume(start);
        let items: Vec<_> = list.stream().collect().await;
        let shown = shown(&items);
        assert_eq!(shown.len(), requests + 1, "{shown:?}");
        assert!(shown[..requests].iter().all(|id| id == "pay_1"), "{shown:?}");
        assert!(shown[requests].starts_with(repeated), "{shown:?}");
        assert_eq!(stub.requests().len(), requests);
        let pages: Vec<_> = Stub::in_turn(next.iter().map(|next| page(&[], *next)))
            .await
            .client()
            .list_payouts()
            .pages()
            .collect()
            .await;
        assert!(matches!(pages.last(), Some(Err(Error::RepeatedCursor { .. }))), "{pages:?}");
    }
}

#[tokio::test]
async fn too_many_pages_are_an_error_with_the_cursor_to_go_on_from() {
    let stub = Stub::in_turn(three_pages()).await;
    let mut payouts = stub.client().list_payouts().stream().max_pages(2);
    assert!(payouts.next().await.unwrap().is_ok() && payouts.next().await.unwrap().is_ok());
    let error = payouts.next().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "more than 2 pages; the list goes on from \"c\"");
    assert!(payouts.next().await.is_none());
    assert_eq!(stub.requests().len(), 2);
    let Error::TooManyPages { cursor, .. } = error else { panic!("{error:?}") };
    assert_eq!(payouts.cursor(), Some(&cursor));
    let rest = stub.client().list_payouts().cursor(cursor).pages().max_pages(1);
    let rest: Vec<_> = rest.try_collect().await.unwrap();
    assert_eq!(rest[0].data[0].id.as_str(), "pay_3");
}

/// Answers at once, without a network, with an empty page and always another cursor.
struct EmptyPages;

impl Middleware for EmptyPages {
    fn handle<'a>(
        &'a self,
        request: reqwest::Request,
        _: Next<'a>,
    ) -> BoxFuture<'a, Result<reqwest::Response, TransportError>> {
        let last = request.url().query_pairs().find(|(name, _)| name == "cursor");
        let next = last.map_or(0, |(_, cursor)| cursor.parse::<u64>().unwrap()) + 1;
        let page = format!(r#"{{"data":[],"pagination":{{"nextCursor":"{next}"}}}}"#);
        Box::pin(async move { Ok(http::Response::new(page).into()) })
    }
}

#[tokio::test]
async fn deadline_ends_a_list_of_empty_pages_that_arrive_at_once() {
    let builder = Client::builder().base_url("http://127.0.0.1:1").key("key");
    let client = builder.middleware(EmptyPages).build().unwrap();
    let mut payouts = client.list_payouts().stream();
    let item = tokio::time::timeout(Duration::from_millis(50), payouts.next()).await;
    assert!(item.is_err(), "{item:?}");
    let cursor = payouts.cursor().unwrap().to_string();
    assert!(cursor.parse::<u64>().unwrap() > 1, "many pages were read: {cursor}");
}

/// A page whose second item has an amount with three decimals.
fn page_with_a_bad_item() -> String {
    let page = page(&["pay_1", "pay_2", "pay_3"], Some("b"));
    let (first, second) = page.split_once("pay_2").unwrap();
    let (_, body) = first.split_once("\r\n\r\n").unwrap();
    let second = second.replacen("1.00", "1.005", 1);
    response("200 OK", "x-request-id: r-7\r\n", &format!("{body}pay_2{second}"))
}

#[tokio::test]
async fn item_that_cannot_be_decoded_is_an_error_with_its_json_and_the_list_goes_on() {
    let stub = Stub::in_turn([page_with_a_bad_item(), page(&["pay_4"], None)]).await;
    let list = stub.client().list_payouts().cursor("a").stream().max_pages(2);
    let items: Vec<_> = list.collect().await;
    let shown = shown(&items);
    assert_eq!((&*shown[0], &*shown[2], &*shown[3]), ("pay_1", "pay_3", "pay_4"), "{shown:?}");
    assert!(shown[1].contains("item 1 of the page: amount.value: "), "{shown:?}");
    assert!(shown[1].ends_with("(request r-7)") && shown.len() == 4, "{shown:?}");
    let Err(Error::UnreadableItem(error)) = &items[1] else { panic!("{shown:?}") };
    let json: serde_json::Value = serde_json::from_slice(&error.body).unwrap();
    assert_eq!((&json["id"], &json["amount"]["value"]), (&"pay_2".into(), &"1.005".into()));
}

#[tokio::test]
async fn page_that_cannot_be_decoded_is_the_body_of_its_error() {
    let stub = Stub::in_turn([page_with_a_bad_item(), page(&["pay_4"], None)]).await;
    let mut pages = stub.client().list_payouts().pages();
    let error = pages.next().await.unwrap().unwrap_err();
    assert!(pages.next().await.is_none() && pages.cursor().is_none(), "it is not skipped");
    let Error::Decode(error) = error else { panic!("{error:?}") };
    let page: serde_json::Value = serde_json::from_slice(&error.body).unwrap();
    let next = page["pagination"]["nextCursor"].as_str().unwrap();
    let rest = stub.client().list_payouts().cursor(next).pages();
    assert_eq!(rest.try_collect::<Vec<_>>().await.unwrap()[0].data[0].id.as_str(), "pay_4");
}

#[tokio::test]
async fn page_that_is_wrong_outside_of_its_items_ends_the_list() {
    let pages = [
        r#"{"data":[{}]}"#,
        r#"{"data":{},"pagination":{"nextCursor":"b"}}"#,
        r#"{"data":[],"data":[{}],"pagination":{"nextCursor":7}}"#,
        r#"{"data":[],"pagination":{"nextCursor":"b","nextCursor":"c"}}"#,
    ];
    for page in pages {
        let stub = Stub::responding_json(page).await;
        let items: Vec<_> = stub.client().list_payouts().stream().collect().await;
        assert!(matches!(&items[..], [Err(Error::Decode(_))]), "{items:?}");
    }
}

#[tokio::test]
async fn list_outlives_the_client_that_it_was_made_with() {
    fn all(client: Client) -> impl Stream<Item = Result<Payout, Error>> + Send + 'static {
        client.list_payouts().stage("DRAFT").stream()
    }
    let stub = Stub::in_turn(three_pages()).await;
    let count = tokio::spawn(all(stub.client()).count());
    assert_eq!(count.await.unwrap(), 3);
}

#[test]
#[deny(unfulfilled_lint_expectations)]
fn forgotten_sends_are_warnings_of_the_compiler() {
    use payout_client::types::UpdatePayoutRequest;

    let builder = Client::builder().base_url("http://127.0.0.1:1").key("key");
    let client = builder.build().unwrap();
    #[expect(unused_must_use, reason = "this test proves the warning")]
    {
        client.update_payout("pay_1", UpdatePayoutRequest::builder().stage("PAID"));
    }
    #[expect(unused_must_use, reason = "this test proves the warning")]
    {
        UpdatePayoutRequest::builder().stage("PAID");
    }
    #[expect(unused_must_use, reason = "this test proves the warning")]
    {
        client.list_payouts().pages();
    }
    #[expect(unused_must_use, reason = "this test proves the warning")]
    {
        client.list_payouts().stream();
    }
}
