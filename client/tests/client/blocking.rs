//! Calls and lists of a program without asynchronous code.

use std::sync::Arc;

use payout_client::{Blocking, Error};
use tokio::runtime::Runtime;

use crate::{
    pages::three_pages,
    responses::PAYOUT,
    stub::{Stub, error, response},
};

#[test]
fn program_waits_for_results_and_errors() {
    let server = Runtime::new().unwrap();
    let missing = error("404 Not Found", "NOT_FOUND", "null");
    let stub = server.block_on(Stub::in_turn([response("200 OK", "", PAYOUT), missing]));
    let client = Blocking::new(stub.client()).unwrap();
    let payout = client.wait(client.get_payout("pay_1").send()).unwrap();
    assert_eq!(payout.data.id.as_str(), "pay_1");
    let error = client.wait(client.get_payout("pay_2").send()).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
}

#[test]
fn list_is_an_iterator_that_asks_for_a_page_when_it_needs_one() {
    let server = Runtime::new().unwrap();
    let stub = server.block_on(Stub::in_turn(three_pages()));
    let client = Blocking::new(stub.client()).unwrap();
    let mut payouts = client.iter(client.list_payouts().stream());
    assert_eq!(payouts.next().unwrap().unwrap().id.as_str(), "pay_1");
    assert_eq!(stub.requests().len(), 1);
    assert_eq!(payouts.map(Result::unwrap).count(), 2);
}

#[test]
fn iterator_of_a_list_without_end_ends_with_an_error() {
    let server = Runtime::new().unwrap();
    let stub = server.block_on(Stub::in_turn(three_pages().into_iter().take(1)));
    let client = Blocking::new(stub.client()).unwrap();
    let repeated = client.iter(client.list_payouts().stream()).last();
    assert!(matches!(repeated, Some(Err(Error::RepeatedCursor { .. }))), "{repeated:?}");
    let longer = client.iter(client.list_payouts().stream().max_pages(1)).last();
    assert!(matches!(longer, Some(Err(Error::TooManyPages { .. }))), "{longer:?}");
}

#[tokio::test]
async fn asynchronous_code_may_drop_it_also_after_a_call() {
    let stub = Stub::responding_json(PAYOUT).await;
    let unused = Blocking::new(stub.client()).unwrap();
    let used = Arc::new(Blocking::new(stub.client()).unwrap());
    let caller = Arc::clone(&used);
    let called = tokio::task::spawn_blocking(move || {
        caller.wait(caller.get_payout("pay_1").send()).unwrap();
    });
    called.await.unwrap();
    assert_eq!(Arc::strong_count(&used), 1, "the last one is dropped here");
    drop((unused, used));
}
