//! Repetitions: only of what is safe, with one idempotency key, bounded in number and time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use payout_client::{ApiKey, Client, Error, RetryPolicy, types::CreatePartnerRequest};

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

/// A client's policy without pauses, which count as if they had passed.
fn immediate() -> RetryPolicy {
    RetryPolicy::default().without_pauses()
}

fn header<'request>(request: &'request str, name: &str) -> Option<&'request str> {
    request.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn idempotency_key(request: &str) -> &str {
    header(request, "idempotency-key").expect("the request has an idempotency key")
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
async fn used_up_minute_is_waited_for() {
    let full = error("429 Too Many Requests", "RATE_LIMITED", r#"{"retryAfterSeconds":0}"#);
    let detached = error("404 Not Found", "NOT_FOUND", "null");
    let stub = Stub::in_turn([full, detached]).await;
    let error = patient(&stub).detach_commission_line("cln_1").send().await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    assert_eq!(stub.requests().len(), 2);
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
async fn waits_do_not_use_up_the_attempts_and_lost_requests_do() {
    let full = || error("429 Too Many Requests", "RATE_LIMITED", r#"{"retryAfterSeconds":0}"#);
    let paid = response("200 OK", "", PAYOUT);
    let stub = Stub::in_turn([cut_short(), full(), cut_short(), full(), cut_short(), paid]).await;
    let client = patient(&stub).with_retries(immediate());
    client.get_payout("pay_1").send().await.unwrap();
    assert_eq!(stub.requests().len(), 6);
}

#[tokio::test]
async fn limit_that_never_ends_is_an_error_after_a_bounded_time() {
    let full = error("429 Too Many Requests", "RATE_LIMITED", r#"{"retryAfterSeconds":60}"#);
    let stub = Stub::in_turn([full]).await;
    let client = patient(&stub).with_retries(immediate());
    let error = client.get_payout("pay_1").send().await.unwrap_err();
    assert!(matches!(error, Error::RateLimited { .. }), "{error:?}");
    // Within three minutes, of which each pause is one or a little more.
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn date_to_wait_for_is_measured_by_the_own_clock_where_the_response_has_none() {
    let later = "retry-after: Fri, 31 Dec 2100 23:59:59 GMT\r\n";
    let stub = Stub::responding("503 Service Unavailable", later, "").await;
    let error = stub.builder().build().unwrap().get_payout("pay_1").send().await.unwrap_err();
    assert_eq!(error.status().unwrap(), 503);
    assert_eq!(stub.requests().len(), 1, "it is too long to wait for");
}

#[tokio::test]
async fn body_without_a_length_that_ends_in_the_middle_is_repeated() {
    let half = exact_response("200 OK\r\n", &PAYOUT[..PAYOUT.len() / 2]);
    let stub = Stub::in_turn([half, response("200 OK", "", PAYOUT)]).await;
    patient(&stub).get_payout("pay_1").send().await.unwrap();
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn clones_share_the_budget_of_repetitions() {
    let stub = Stub::in_turn([overloaded()]).await;
    let retries = RetryPolicy::default().first_pause(Duration::from_millis(1));
    let client = stub.builder().retries(retries).retry_budget(5).build().unwrap();
    for _ in 0..10 {
        client.clone().get_payout("pay_1").send().await.unwrap_err();
    }
    assert_eq!(stub.requests().len(), 15);
}

#[tokio::test]
async fn further_calls_wait_while_the_most_requests_are_in_flight() {
    let stub = Stub::stalling().await;
    let client = stub.builder().most_in_flight(1).build().unwrap();
    let waiting = client.with_deadline(Duration::from_millis(50));
    let busy = client.clone();
    let first = tokio::spawn(async move { busy.get_payout("pay_1").send().await.map(drop) });
    while stub.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    let error = waiting.get_payout("pay_2").send().await.unwrap_err();
    assert!(error.is_timeout() && !error.was_sent(), "{error:?}");
    assert_eq!(stub.requests().len(), 1);
    first.abort();
}

#[tokio::test]
async fn key_provider_is_asked_once_for_all_calls_and_again_after_a_401() {
    let revoked = error("401 Unauthorized", "UNAUTHORIZED", "null");
    let paid = response("200 OK", "", PAYOUT);
    let stub = Stub::in_turn([paid.clone(), revoked, paid]).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let provider = move || {
        let number = counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok(ApiKey::from(format!("pcp_test_{number}"))) }
    };
    let client = Client::builder().base_url(&stub.base_url).key_provider(provider).build().unwrap();
    for _ in 0..3 {
        client.get_payout("pay_1").send().await.unwrap();
    }
    let requests = stub.requests();
    let keys: Vec<&str> =
        requests.iter().filter_map(|request| header(request, "x-api-key")).collect();
    assert_eq!(keys, ["pcp_test_0", "pcp_test_0", "pcp_test_1", "pcp_test_1"]);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn rejected_key_is_final_where_there_is_no_other() {
    let stub = Stub::in_turn([error("401 Unauthorized", "UNAUTHORIZED", "null")]).await;
    let builder = Client::builder().base_url(&stub.base_url);
    let client = builder.key_provider(async || Ok(ApiKey::from("pcp_test_1"))).build().unwrap();
    for client in [client, stub.client()] {
        let error = client.get_payout("pay_1").send().await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized { .. }), "{error:?}");
    }
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn another_key_shares_the_client_and_not_its_meters() {
    let stub = Stub::responding("200 OK", RATE, PAYOUT).await;
    let client = stub.client();
    let other = client.with_key("pcp_test_other").unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    assert!(client.meters().rate.is_some() && other.meters().rate.is_none());
    other.get_payout("pay_1").send().await.unwrap();
    assert_eq!(header(&stub.requests()[1], "x-api-key"), Some("pcp_test_other"));
    assert!(client.with_key("\"pcp_test_quoted\"").is_err());
}

/// The meter of a used up minute.
const RATE: &str = "date: Sun, 31 May 2026 23:59:00 GMT\r\nx-ratelimit-limit-minute: 60\r\n\
                    x-ratelimit-remaining-minute: 0\r\n";

#[tokio::test]
async fn call_beyond_the_minute_waits_unless_it_has_to_end_before() {
    let stub = Stub::responding("200 OK", RATE, PAYOUT).await;
    let client = stub.client();
    client.get_payout("pay_1").send().await.unwrap();
    client.with_deadline(Duration::from_secs(30)).get_payout("pay_2").send().await.unwrap();
    let unpaced = stub.builder().pacing(false).build().unwrap();
    unpaced.get_payout("pay_3").send().await.unwrap();
    unpaced.get_payout("pay_4").send().await.unwrap();
    let waits = tokio::time::timeout(Duration::from_millis(50), client.get_payout("pay_5").send());
    assert!(waits.await.is_err(), "a minute has to pass");
    assert_eq!(stub.requests().len(), 4);
}

#[tokio::test]
async fn many_calls_at_once_send_no_more_than_the_first_response_allows() {
    let stub = Stub::responding("200 OK", RATE, PAYOUT).await;
    let client = stub.builder().most_in_flight(4).build().unwrap();
    let call = || client.get_payout("pay_1").send().map(Result::unwrap);
    let mut calls: FuturesUnordered<_> = (0..100).map(|_| call()).collect();
    for _ in 0..4 {
        calls.next().await;
    }
    assert!(tokio::time::timeout(Duration::from_millis(50), calls.next()).await.is_err());
    assert_eq!(stub.requests().len(), 4, "the others wait for the next minute");
}

#[tokio::test]
async fn deadline_beyond_all_time_is_none() {
    let stub = Stub::responding("200 OK", "", PAYOUT).await;
    let client = stub.client().with_deadline(Duration::MAX);
    client.get_payout("pay_1").send().await.unwrap();
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
