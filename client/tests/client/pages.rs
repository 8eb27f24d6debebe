//! Pages and items: requested when they are asked for, each once, and resumed where they stopped.

use std::time::Duration;

use futures_util::{Stream, StreamExt};
use hyper::http;
use payout_client::{
    BoxFuture, Client, Error, Middleware, Next, RetryPolicy, TransportError, reqwest, types::Payout,
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

/// The text of an error, and the JSON that cannot be read.
fn text(error: &Error) -> String {
    let body = match error {
        Error::UnreadableItem(error) => &error.body,
        Error::Decode(error) => &error.body,
        _ => return error.to_string(),
    };
    let words = std::str::from_utf8(body).unwrap().split_whitespace();
    format!("{error}\n  {}", words.collect::<String>())
}

/// Reads a list to its end, and once more: the requests and result of each step, and the cursor.
macro_rules! read {
    ($stub:expr, $list:expr, $item:ident => $shown:expr) => {{
        let mut list = $list;
        let mut shown = format!("{}\n", stringify!($list));
        let mut ends = 0;
        while ends < 2 {
            let before = $stub.requests().len();
            let item = list.next().await;
            for request in &$stub.requests()[before..] {
                shown += &format!("  {}\n", request.lines().next().unwrap());
            }
            ends += usize::from(item.is_none());
            let text = match &item {
                None => "end".to_owned(),
                Some(Ok($item)) => $shown,
                Some(Err(error)) => text(error),
            };
            let cursor = list.cursor().map_or("-", |cursor| cursor.as_str());
            shown += &format!("{text}, cursor {cursor}\n");
        }
        shown + "\n"
    }};
}

macro_rules! items {
    ($stub:expr, $list:expr) => {
        read!($stub, $list, payout => payout.id.to_string())
    };
}

macro_rules! pages {
    ($stub:expr, $list:expr) => {
        read!($stub, $list, page => format!("{}, {} payouts", page.status(), page.data.len()))
    };
}

pub(crate) fn three_pages() -> [String; 3] {
    [page(&["pay_1", "pay_2"], Some("b")), page(&[], Some("c")), page(&["pay_3"], None)]
}

#[tokio::test]
async fn pages_are_requested_when_they_are_asked_for_each_once() {
    let stub = &Stub::in_turn(three_pages()).await;
    let list = stub.client().list_payouts().stage("DRAFT").limit(2);
    let mut all = items!(stub, list.stream());
    let stub = &Stub::in_turn(three_pages()).await;
    all += &pages!(stub, stub.client().list_payouts().pages());
    let stub = &Stub::in_turn(three_pages()).await;
    all += &items!(stub, stub.client().list_payouts().limit(0).stream());
    all += &items!(stub, stub.client().list_payouts().stream().max_pages(2));
    all += &pages!(stub, stub.client().list_payouts().cursor("c").pages().max_pages(1));
    let [first, second, third] = three_pages();
    let overloaded = error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null");
    let stub = &Stub::in_turn([first, overloaded, second, third]).await;
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let client = stub.builder().retries(retries).build().unwrap();
    all += "One page is repeated.\n";
    all += &items!(stub, client.list_payouts().stream());
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn list_ends_after_an_error_and_goes_on_from_its_cursor() {
    let [first, second, third] = three_pages();
    let failed = error("500 Internal Server Error", "INTERNAL_ERROR", "null");
    let stub = &Stub::in_turn([first, failed, second, third]).await;
    let mut all = items!(stub, stub.client().list_payouts().stream());
    all += &items!(stub, stub.client().list_payouts().resume(Some("b")).stream());
    for (next, start) in [
        (vec![Some("b")], None),
        (vec![Some("")], None),
        (vec![Some("b"), Some("c"), Some("b")], None),
        (vec![Some("b"), Some("a")], Some("a")),
    ] {
        all += &format!("The cursors {next:?} after {start:?}.\n");
        let stub = &Stub::in_turn(next.iter().map(|next| page(&["pay_1"], *next))).await;
        all += &items!(stub, stub.client().list_payouts().resume(start).stream());
        let stub = &Stub::in_turn(next.iter().map(|next| page(&[], *next))).await;
        all += &pages!(stub, stub.client().list_payouts().pages());
    }
    for page in [
        r#"{"data":[{}]}"#,
        r#"{"data":{},"pagination":{"nextCursor":"b"}}"#,
        r#"{"data":[],"data":[{}],"pagination":{"nextCursor":7}}"#,
        r#"{"data":[],"pagination":{"nextCursor":"b","nextCursor":"c"}}"#,
    ] {
        let stub = &Stub::responding_json(page).await;
        all += &items!(stub, stub.client().list_payouts().stream());
    }
    insta::assert_snapshot!(all);
}

/// Its second item has an amount with three decimals.
#[tokio::test]
async fn item_that_cannot_be_read_is_an_error_and_the_list_of_items_goes_on() {
    let bad = page(&["pay_1", "pay_2", "pay_3"], Some("b"));
    let (first, second) = bad.split_once("pay_2").unwrap();
    let bad = format!("{first}pay_2{}", second.replacen("1.00", "1.005", 1));
    let bad = bad.split_once("\r\n\r\n").unwrap().1;
    let pages = || [response("200 OK", "x-request-id: r-7\r\n", bad), page(&["pay_4"], None)];
    let stub = &Stub::in_turn(pages()).await;
    let mut all = items!(stub, stub.client().list_payouts().cursor("a").stream().max_pages(2));
    let stub = &Stub::in_turn(pages()).await;
    all += &pages!(stub, stub.client().list_payouts().pages());
    insta::assert_snapshot!(all);
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
