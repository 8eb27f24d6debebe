//! Requests to two servers at once.

use std::sync::Arc;

use futures_util::future::join_all;
use poem::http::Method;
use serde_json::{Value, json};

use crate::support::{
    Key, Replica, TestResponse, TestServer,
    commission::{assert_consistent, get, id, line, may, new_partner, new_payout, patch, post},
    dataset::*,
    operator,
};

/// Method, path, body and idempotency key of a request.
type Request = (Method, String, Value, Option<&'static str>);

struct TwoServers {
    first: Arc<TestServer>,
    second: Arc<Replica>,
}

impl TwoServers {
    async fn start() -> Self {
        let first = Arc::new(TestServer::start_with(|options| options.acquire_seconds = 30).await);
        let second = Arc::new(first.replica().await);
        Self { first, second }
    }

    /// Sends these requests at once, to each server in turn.
    async fn at_once(&self, requests: Vec<Request>) -> Vec<TestResponse> {
        let sent = requests.into_iter().enumerate().map(|(number, (method, path, body, key))| {
            let (first, second) = (Arc::clone(&self.first), Arc::clone(&self.second));
            tokio::spawn(async move {
                let path = format!("/api/v1/{path}");
                let api_key = first.key(Key::MAIN);
                let request = match number % 2 {
                    0 => first.request(method, &path).header("x-api-key", api_key),
                    _ => second.request(method, &path, api_key),
                };
                let request = match key {
                    Some(key) => request.header("idempotency-key", key),
                    None => request,
                };
                request
                    .header("content-type", "application/json")
                    .body(body.to_string())
                    .send()
                    .await
            })
        });
        join_all(sent).await.into_iter().map(Result::unwrap).collect()
    }
}

fn count(responses: &[TestResponse], status: u16) -> usize {
    responses.iter().filter(|response| response.status == status).count()
}

fn times(number: usize, path: &str, body: &Value, key: Option<&'static str>) -> Vec<Request> {
    vec![(Method::POST, path.to_owned(), body.clone(), key); number]
}

#[tokio::test]
async fn creations_of_one_domain_at_once_make_one_partner() {
    let servers = TwoServers::start().await;
    let body = json!({ "name": "At once", "domain": "at-once.example" });
    let responses = servers.at_once(times(12, "partners", &body, None)).await;
    assert_eq!((count(&responses, 201), count(&responses, 200)), (1, 11));
    let first = id(&responses[0].body);
    assert!(responses.iter().all(|response| id(&response.body) == first));
}

#[tokio::test]
async fn batches_at_once_take_each_line_once() {
    let servers = TwoServers::start().await;
    let responses = servers.at_once(times(4, "payout-batches", &may(None), None)).await;
    assert_eq!(count(&responses, 201), 4);
    let lines = responses.iter().map(|batch| batch.body["data"]["lineCount"].as_i64().unwrap());
    assert_eq!(lines.sum::<i64>(), 33);
    assert_consistent(&servers.first).await;
}

#[tokio::test]
async fn one_idempotency_key_at_once_is_done_once() {
    let servers = TwoServers::start().await;
    let partner = new_partner(&servers.first).await;
    let body = line(&partner, "3.00");
    let responses = servers.at_once(times(12, "commission-lines", &body, Some("once"))).await;
    let done = responses.iter().filter(|response| response.status == 201);
    assert!(done.clone().count() >= 1);
    assert_eq!(count(&responses, 201) + count(&responses, 409), 12);
    let ids: std::collections::BTreeSet<String> = done.map(|response| id(&response.body)).collect();
    assert_eq!(ids.len(), 1);
    let lines = get(&servers.first, &format!("commission-lines?partnerId={partner}")).await;
    assert_eq!(lines.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn one_key_of_a_line_at_once_makes_one_line() {
    let servers = TwoServers::start().await;
    let partner = new_partner(&servers.first).await;
    let mut body = line(&partner, "3.00");
    body["idempotencyKey"] = json!("line-once");
    let responses = servers.at_once(times(12, "commission-lines", &body, None)).await;
    assert_eq!((count(&responses, 201), count(&responses, 200)), (1, 11));
}

#[tokio::test]
async fn attach_beside_detach_beside_decline_keeps_the_amounts() {
    let servers = TwoServers::start().await;
    let server = &servers.first;
    let partner = new_partner(server).await;
    let payout = new_payout(server, &partner).await;
    let mut body = line(&partner, "1.00");
    body["payoutId"] = json!(payout);
    let mut requests = Vec::new();
    for number in 0..8 {
        let made = id(&post(server, "commission-lines", &body).expect(201).await.body);
        let path = format!("commission-lines/{made}");
        let decline = json!({ "reason": "DUPLICATE" });
        requests.push((Method::POST, format!("{path}/decline"), decline, None));
        requests.push((Method::POST, format!("{path}/detach"), json!({}), None));
        let amount = json!({ "amount": format!("{}.00", number + 2) });
        requests.push((Method::PATCH, path, amount, None));
        requests.push((Method::POST, "commission-lines".to_owned(), body.clone(), None));
    }
    requests.extend(times(2, "payout-batches", &may(None), None));
    let stage = json!({ "stage": "APPROVED" });
    requests.push((Method::PATCH, format!("payouts/{payout}"), stage, None));
    for response in servers.at_once(requests).await {
        assert!(response.status.as_u16() < 500, "{}", response.text);
    }
    assert_consistent(server).await;
}

#[tokio::test]
async fn declines_of_the_last_lines_at_once_decline_the_payout() {
    let servers = TwoServers::start().await;
    let server = &servers.first;
    let partner = new_partner(server).await;
    let payout = new_payout(server, &partner).await;
    let mut body = line(&partner, "1.00");
    body["payoutId"] = json!(payout);
    let mut requests = Vec::new();
    for _ in 0..2 {
        let made = id(&post(server, "commission-lines", &body).expect(201).await.body);
        let decline = json!({ "reason": "DUPLICATE" });
        requests.push((Method::POST, format!("commission-lines/{made}/decline"), decline, None));
    }
    assert_eq!(count(&servers.at_once(requests).await, 200), 2);
    let payout = get(server, &format!("payouts/{payout}")).await;
    assert_eq!(
        (&payout["stage"], &payout["amount"]["value"]),
        (&json!("DECLINED"), &json!("0.00"))
    );
}

#[tokio::test]
async fn change_of_a_line_beside_the_payment_of_its_payout_is_seen_or_refused() {
    let servers = TwoServers::start().await;
    let server = &servers.first;
    let partner = new_partner(server).await;
    for _ in 0..6 {
        let payout = new_payout(server, &partner).await;
        let mut body = line(&partner, "1.00");
        body["payoutId"] = json!(payout);
        let made = id(&post(server, "commission-lines", &body).expect(201).await.body);
        let path = format!("payouts/{payout}");
        let approved = json!({ "stage": "APPROVED" });
        patch(server, &path, approved).expect(200).await;
        let requests = vec![
            (Method::PATCH, path.clone(), json!({ "stage": "PAID" }), None),
            (Method::PATCH, format!("commission-lines/{made}"), json!({ "amount": "7.00" }), None),
        ];
        let responses = servers.at_once(requests).await;
        assert_eq!(responses[0].status, 200);
        let amount = get(server, &path).await["amount"]["value"].clone();
        match responses[1].status.as_u16() {
            200 => {
                assert_eq!(amount, "7.00");
                // It was paid with this amount: the payment came after the change.
                assert_eq!(responses[0].body["data"]["amount"]["value"], "7.00");
            }
            422 => {
                assert_eq!(responses[1].code(), "LINE_LOCKED");
                assert_eq!(amount, "1.00");
            }
            other => panic!("{other}: {}", responses[1].text),
        }
    }
}

fn detaches<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Request> {
    let detach = |line| format!("commission-lines/{line}/detach");
    lines.into_iter().map(|line| (Method::POST, detach(line), json!({}), None)).collect()
}

#[tokio::test]
async fn of_32_detaches_of_a_line_at_once_one_succeeds_and_each_costs_a_credit() {
    let servers = TwoServers::start().await;
    let responses = servers.at_once(detaches([DETACHABLE; 32])).await;
    assert_eq!((count(&responses, 200), count(&responses, 422)), (1, 31));
    let superuser = servers.first.superuser().await;
    assert_eq!(operator::meter(&superuser, MAIN).await.month_used, 32);
    let rows = operator::history(&superuser, DETACHABLE).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let payout = get(&servers.first, &format!("payouts/{TO_DETACH}")).await;
    assert_eq!(payout["amount"]["value"], "72.15");
}

#[tokio::test]
async fn detaches_of_the_lines_of_a_payout_at_once_each_lower_it_once() {
    let servers = TwoServers::start().await;
    let lines = "QRSTVWXYZ".chars().map(|last| format!("cln_01JV3N8Q5R000000000000001{last}"));
    let lines: Vec<String> = lines.collect();
    let twice = [&lines[..], &lines].concat();
    let responses = servers.at_once(detaches(twice.iter().map(String::as_str))).await;
    assert_eq!((count(&responses, 200), count(&responses, 422)), (9, 9));
    let payout = get(&servers.first, &format!("payouts/{TO_DETACH}")).await;
    assert_eq!(payout["amount"]["value"], "9.99");
    assert_consistent(&servers.first).await;
}
