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

/// The requests of a call at a server with these responses, and its result.
macro_rules! call {
    ($responses:expr, $stub:ident => $call:expr) => {{
        let $stub = &Stub::in_turn($responses).await;
        let result = $call.send().await.map(drop);
        let mut shown = format!("{}\n", stringify!($call));
        for request in $stub.requests() {
            let key = header(&request, "idempotency-key").unwrap_or_default();
            let key = if key.len() == 32 { "…" } else { key };
            shown += &format!("  {} {key}\n", request.lines().next().unwrap());
        }
        shown + &result.map_or_else(|error| error.to_string(), |()| "succeeds".to_owned()) + "\n\n"
    }};
}

#[tokio::test]
async fn each_call_is_repeated_where_that_is_safe_and_worth_its_wait() {
    let full = |seconds: u32| {
        let wait = format!(r#"{{"retryAfterSeconds":{seconds}}}"#);
        error("429 Too Many Requests", "RATE_LIMITED", &wait)
    };
    let paid = || response("200 OK", "", PAYOUT);
    let created = response("201 Created", "", PARTNER);
    let detached = error("404 Not Found", "NOT_FOUND", "null");
    let half = exact_response("200 OK\r\n", &PAYOUT[..PAYOUT.len() / 2]);
    let later = "retry-after: Fri, 31 Dec 2100 23:59:59 GMT\r\n";
    let later = response("503 Service Unavailable", later, "");
    let limit = Duration::from_secs(20);
    let mut all = call!([overloaded(), cut_short(), paid()], stub => patient(stub).get_payout("1"));
    all += &call!([half, paid()], stub => patient(stub).get_payout("without a length"));
    let new = CreatePartnerRequest::builder("Nordwind");
    all += &call!([overloaded(), created],
        stub => patient(stub).create_partner(new).idempotency_key("order-1"));
    all += &call!([full(0), detached], stub => patient(stub).detach_commission_line("1"));
    all += &call!([full(30)], stub => patient(stub).with_deadline(limit).get_payout("1"));
    // Waits do not use up the attempts, and lost requests do.
    all += &call!([cut_short(), full(0), cut_short(), full(0), cut_short(), paid()],
        stub => patient(stub).with_retries(immediate()).get_payout("1"));
    // Within three minutes, of which each pause is one or a little more.
    all += &call!([full(60)], stub => patient(stub).with_retries(immediate()).get_payout("1"));
    // The own clock measures it.
    all += &call!([later], stub => stub.builder().build().unwrap().get_payout("until 2100"));
    insta::assert_snapshot!(all);
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
