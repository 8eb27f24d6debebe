//! Repetitions: only of what is safe, with one idempotency key, bounded in number and time.

use std::time::Duration;

use payout_client::{Client, Error, RetryPolicy, types::CreatePartnerRequest};

use crate::{
    responses::{PARTNER, PAYOUT},
    stub::{Stub, error, exact_response, response},
};

/// A client with short pauses.
fn patient(stub: &Stub) -> Client {
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    stub.builder().retries(retries).build().unwrap()
}

fn overloaded() -> String {
    error("503 Service Unavailable", "SERVICE_UNAVAILABLE", "null")
}

fn cut_short() -> String {
    exact_response("200 OK\r\ncontent-length: 4096\r\n", "{")
}

fn idempotency_key(request: &str) -> &str {
    let line = request.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
    line.expect("the request has an idempotency key")
}

#[tokio::test]
async fn reading_is_repeated_until_the_server_is_back() {
    let stub = Stub::in_turn([overloaded(), cut_short(), response("200 OK", "", PAYOUT)]).await;
    let payout = patient(&stub).get_payout("pay_1").send().await.unwrap();
    assert_eq!(payout.data.id.as_str(), "pay_1");
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn creation_is_repeated_with_the_key_of_its_call() {
    let in_progress = error("409 Conflict", "IDEMPOTENCY_IN_PROGRESS", "null");
    let created = response("201 Created", "idempotent-replayed: true\r\n", PARTNER);
    let stub = Stub::in_turn([cut_short(), overloaded(), in_progress, created]).await;
    let client = patient(&stub);
    let partner = CreatePartnerRequest::builder("Nordwind");
    assert!(client.create_partner(partner.clone()).send().await.unwrap().is_replayed());
    client.create_partner(partner).send().await.unwrap();
    let requests = stub.requests();
    let keys: Vec<&str> = requests.iter().map(|request| idempotency_key(request)).collect();
    assert_eq!(keys.len(), 5);
    assert!(keys[..4].iter().all(|key| *key == keys[0] && key.len() == 32), "{keys:?}");
    assert_ne!(keys[0], keys[4], "another call has another key");
}

#[tokio::test]
async fn own_idempotency_key_is_kept() {
    let stub = Stub::in_turn([overloaded(), response("201 Created", "", PARTNER)]).await;
    let client = patient(&stub);
    let partner = CreatePartnerRequest::builder("Nordwind");
    client.create_partner(partner).idempotency_key("order-1").send().await.unwrap();
    assert!(stub.requests().iter().all(|request| idempotency_key(request) == "order-1"));
}

#[tokio::test]
async fn detach_is_repeated_with_one_key() {
    let rejected = error("404 Not Found", "NOT_FOUND", "null");
    let stub = Stub::in_turn([overloaded(), cut_short(), rejected]).await;
    patient(&stub).detach_commission_line("cln_1").send().await.unwrap_err();
    let requests = stub.requests();
    let keys: Vec<&str> = requests.iter().map(|request| idempotency_key(request)).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0] && key.len() == 32), "{keys:?}");
}

#[tokio::test]
async fn used_up_minute_is_waited_for() {
    let full = error("429 Too Many Requests", "RATE_LIMITED", r#"{"retryAfterSeconds":0}"#);
    let detached = error("404 Not Found", "NOT_FOUND", "null");
    let stub = Stub::in_turn([full, detached]).await;
    let error = patient(&stub).detach_commission_line("cln_1").send().await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn used_up_credits_are_no_reason_to_ask_again() {
    let credits = r#"{"retryAfterSeconds":0}"#;
    let stub =
        Stub::in_turn([error("402 Payment Required", "API_CREDITS_EXHAUSTED", credits)]).await;
    let error = patient(&stub).get_payout("pay_1").send().await.unwrap_err();
    assert!(matches!(error, Error::CreditsExhausted { .. }), "{error:?}");
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn number_of_requests_is_bounded() {
    let stub = Stub::in_turn([overloaded()]).await;
    let error = patient(&stub).get_payout("pay_1").send().await.unwrap_err();
    assert_eq!(error.status().unwrap(), 503);
    assert_eq!(stub.requests().len(), 4);
}

#[tokio::test]
async fn call_that_would_wait_beyond_its_deadline_ends_with_its_error() {
    let wait = r#"{"retryAfterSeconds":30}"#;
    let stub = Stub::in_turn([error("429 Too Many Requests", "RATE_LIMITED", wait)]).await;
    let client = patient(&stub).with_deadline(Duration::from_secs(20));
    let error = client.get_payout("pay_1").send().await.unwrap_err();
    assert!(matches!(error, Error::RateLimited { .. }), "{error:?}");
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn deadline_ends_a_request_that_gets_no_response() {
    let stub = Stub::stalling().await;
    let client = patient(&stub).with_deadline(Duration::from_millis(50));
    let error = client.get_payout("pay_1").send().await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn dropped_call_is_cancelled_with_its_repetitions() {
    let wait = r#"{"retryAfterSeconds":3}"#;
    let stub = Stub::in_turn([error("429 Too Many Requests", "RATE_LIMITED", wait)]).await;
    let client = patient(&stub);
    let call = client.get_payout("pay_1").send();
    // Until the first response has arrived, and the call waits for the next minute.
    let has_answered = async {
        while client.meters().rate.is_none() && stub.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        result = call => panic!("{result:?}"),
        () = has_answered => {}
    }
    assert_eq!(stub.requests().len(), 1);
}
