//! Races, which the database decides: requests to two servers at once, and requests that wait for a
//! transaction and then see all that it did. The suite reaches one server and holds no lock.

use std::future::Future;

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{
    Key, TestResponse, TestServer,
    commission::{assert_consistent, get, line, may, patch, post},
    dataset::*,
};

/// The only line of [`TO_EMPTY`].
const LAST_LINE: &str = "cln_01JV3N8Q5R0000000000000040";
/// A payout in `APPROVED`.
const TO_EMPTY: &str = "pay_01JV3N8Q5R000000000000000E";
/// A payout that only the held transaction knows.
const NEW_PAYOUT: &str = "pay_01JV3N8Q5R00000000000000ZZ";

#[tokio::test]
async fn creations_at_once_on_two_servers_make_one_thing() {
    let server = TestServer::start_with(|options| options.acquire_seconds = 30).await;
    let replica = server.replica().await;
    let mut keyed_line = line(NORDWIND, "3.00");
    keyed_line["idempotencyKey"] = json!("line-once");
    for (path, body, key, others) in [
        ("partners", json!({ "name": "At once", "domain": "at-once.example" }), None, 200),
        ("commission-lines", keyed_line, None, 200),
        // A repetition gets the same response, or 409 while the first request runs.
        ("commission-lines", line(NORDWIND, "3.00"), Some("once"), 409),
    ] {
        let sent = (0..12).map(|number| {
            let path = format!("/api/v1/{path}");
            let request = match number % 2 {
                0 => server.post(Key::MAIN, &path),
                _ => replica.post(Key::MAIN, &path),
            };
            let request = match key {
                Some(key) => request.header("idempotency-key", key),
                None => request,
            };
            tokio::spawn(request.json(&body).send())
        });
        let responses = join_all(sent).await.into_iter().map(Result::unwrap);
        let mut statuses: Vec<u16> = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        for response in responses {
            statuses.push(response.status.as_u16());
            ids.extend(Some(response.id()).filter(|id| !id.is_empty()));
        }
        assert!(ids.iter().all(|id| *id == ids[0]), "{path}: {ids:?}");
        let made = statuses.iter().filter(|status| **status == 201).count();
        assert!(made == 1 || made > 1 && key.is_some(), "{path}: {statuses:?}");
        assert!(statuses.iter().all(|status| [201, others].contains(status)), "{statuses:?}");
    }
}

#[tokio::test]
async fn batches_at_once_take_each_line_once() {
    let server = TestServer::start_with(|options| options.acquire_seconds = 30).await;
    let batches = (0..4).map(|_| post(&server, "payout-batches", &may(None)).expect(201));
    let lines =
        join_all(batches).await.into_iter().map(|batch| batch.body["data"]["lineCount"].as_i64());
    assert_eq!(lines.map(Option::unwrap).sum::<i64>(), 33);
    assert_consistent(&server).await;
}

/// Sends a request that waits for these statements, and commits them meanwhile.
async fn waits_for(
    server: &TestServer,
    statements: impl Into<String>,
    request: impl Future<Output = TestResponse> + Send + 'static,
) -> TestResponse {
    let held = server.hold(statements).await;
    let request = tokio::spawn(request);
    while server.waiting().await == 0 {
        assert!(!request.is_finished(), "the request does not wait");
    }
    held.commit().await.unwrap();
    request.await.unwrap()
}

/// Attaches [`PENDING_LINE`] to a payout that is created with it.
fn attaching() -> String {
    format!(
        "INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end,
                              amount, currency, stage)
         SELECT organization_id, '{NEW_PAYOUT}', partner_id, batch_id, period_start, period_end,
                5.05, currency, 'DRAFT'
           FROM payouts WHERE id = '{ONE_LINE}';
         UPDATE commission_lines SET status = 'IN_PAYOUT', payout_id = '{NEW_PAYOUT}'
          WHERE id = '{PENDING_LINE}'"
    )
}

fn set_stage(payout: &str, stage: &str) -> String {
    format!("UPDATE payouts SET stage = '{stage}' WHERE id = '{payout}'")
}

/// Requires this amount and stage of a payout, and the invariants of the database.
async fn assert_payout(server: &TestServer, payout: &str, amount: &str, stage: &str) {
    let payout = get(server, &format!("payouts/{payout}")).await;
    assert_eq!((&payout["amount"]["value"], &payout["stage"]), (&json!(amount), &json!(stage)));
    assert_consistent(server).await;
}

#[tokio::test]
async fn request_of_a_line_follows_a_payout_that_was_created_while_it_waited() {
    let path = format!("commission-lines/{PENDING_LINE}");
    let (decline, dollars) = (json!({ "reason": "DISPUTED" }), json!({ "currency": "USD" }));
    for (number, code, amount, stage) in [
        (0, "", "0.00", "DRAFT"),
        (1, "", "0.00", "DECLINED"),
        (2, "CURRENCY_MISMATCH", "5.05", "DRAFT"),
    ] {
        let server = TestServer::start().await;
        let request = match number {
            0 => server.detach(PENDING_LINE),
            1 => post(&server, &format!("{path}/decline"), &decline),
            _ => patch(&server, &path, dollars.clone()),
        };
        let response = waits_for(&server, attaching(), request.send()).await;
        assert_eq!(response.code(), code);
        assert_payout(&server, NEW_PAYOUT, amount, stage).await;
    }
}

#[tokio::test]
async fn line_is_not_added_to_a_payout_that_was_paid_while_it_waited() {
    let server = TestServer::start().await;
    let mut body = line(NORDWIND, "1.00");
    body["payoutId"] = json!(ONE_LINE);
    let request = post(&server, "commission-lines", &body).expect(422);
    let response = waits_for(&server, set_stage(ONE_LINE, "PAID"), request).await;
    assert_eq!(response.code(), "PAYOUT_LOCKED");
    assert_payout(&server, ONE_LINE, "1234.50", "PAID").await;
}

#[tokio::test]
async fn line_of_a_payout_that_was_paid_meanwhile_is_neither_changed_nor_declined() {
    let server = TestServer::start().await;
    let path = format!("commission-lines/{LAST_LINE}");
    let change = patch(&server, &path, json!({ "amount": "1.00" }));
    let decline = post(&server, &format!("{path}/decline"), &json!({ "reason": "DUPLICATE" }));
    for request in [change, decline] {
        server.execute(set_stage(TO_EMPTY, "APPROVED")).await;
        let paid = set_stage(TO_EMPTY, "PAID");
        let response = waits_for(&server, paid, request.expect(422)).await;
        assert_eq!(response.code(), "LINE_LOCKED");
    }
    assert_payout(&server, TO_EMPTY, "64.20", "PAID").await;
}

#[tokio::test]
async fn payment_that_waits_for_a_change_of_a_line_pays_the_changed_amount() {
    let server = TestServer::start().await;
    let change = format!(
        "SELECT FROM payouts WHERE id = '{TO_EMPTY}' FOR UPDATE;
         UPDATE commission_lines SET amount = 7 WHERE id = '{LAST_LINE}';
         UPDATE payouts SET amount = 7 WHERE id = '{TO_EMPTY}'"
    );
    let path = format!("payouts/{TO_EMPTY}");
    let request = patch(&server, &path, json!({ "stage": "PAID" })).expect(200);
    let response = waits_for(&server, change, request).await;
    assert_eq!(response.text_at("/data/amount/value"), "7.00");
    assert_payout(&server, TO_EMPTY, "7.00", "PAID").await;
}

#[tokio::test]
async fn decline_of_the_line_that_is_left_over_declines_the_payout() {
    let server = TestServer::start().await;
    let statements = format!(
        "UPDATE commission_lines SET status = 'PENDING', payout_id = NULL WHERE id = '{CLAW_BACK}';
         UPDATE payouts SET amount = 50 WHERE id = '{NEGATIVE}'"
    );
    let path = "commission-lines/cln_01JV3N8Q5R000000000000001B/decline";
    let request = post(&server, path, &json!({ "reason": "INELIGIBLE" })).expect(200);
    waits_for(&server, statements, request).await;
    let payout = get(&server, &format!("payouts/{NEGATIVE}")).await;
    assert_eq!(
        (&payout["amount"]["value"], &payout["stage"]),
        (&json!("0.00"), &json!("DECLINED"))
    );
}

#[tokio::test]
async fn line_whose_currency_changed_while_the_batch_waited_is_in_its_payout_of_the_new_one() {
    let server = TestServer::start().await;
    let change =
        format!("UPDATE commission_lines SET currency = 'CHF' WHERE id = '{PENDING_LINE}'");
    let request = post(&server, "payout-batches", &may(None)).expect(201);
    waits_for(&server, change, request).await;
    let moved = get(&server, &format!("commission-lines/{PENDING_LINE}")).await;
    let payout = format!("payouts/{}", moved["payoutId"].as_str().expect("it is in a payout"));
    assert_eq!(get(&server, &payout).await["amount"]["currency"], "CHF");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn key_of_a_line_that_was_created_while_the_request_waited_gets_that_line() {
    let server = TestServer::start().await;
    let first = format!(
        "INSERT INTO commission_lines
                (organization_id, id, partner_id, description, amount, source_amount, currency,
                 status, plan_name, period_end, idempotency_key)
         SELECT organization_id, '{NO_LINE}', partner_id, 'The first', 1, 0, currency, 'PENDING',
                plan_name, period_end, 'raced'
           FROM commission_lines WHERE id = '{PENDING_LINE}'"
    );
    let mut body = line(NORDWIND, "1.00");
    body["idempotencyKey"] = json!("raced");
    body["payoutId"] = json!(ONE_LINE);
    let request = post(&server, "commission-lines", &body).expect(200);
    assert_eq!(waits_for(&server, first, request).await.id(), NO_LINE);
    assert_payout(&server, ONE_LINE, "1234.50", "PENDING_REVIEW").await;
}

#[tokio::test]
async fn partner_that_lost_the_domain_while_the_request_waited_is_not_matched() {
    let server = TestServer::start().await;
    let moved = format!("UPDATE partners SET domain = 'moved.example' WHERE id = '{NORDWIND}'");
    let body = json!({ "name": "Successor", "domain": "nordwind.example" });
    waits_for(&server, moved, post(&server, "partners", &body).expect(201)).await;
    let kept = get(&server, &format!("partners/{NORDWIND}")).await;
    assert_eq!(kept["domain"], "moved.example");
    assert!(server.history(NORDWIND).await.is_empty());
}

#[tokio::test]
async fn request_whose_idempotency_key_was_used_while_it_waited_is_undone() {
    let server = TestServer::start().await;
    let first = format!(
        "INSERT INTO idempotent_requests
                (organization_id, operation, key, request_hash, status, body)
         SELECT organization_id, 'createCommissionLine', 'used', sha256('another'), 201, '{{}}'
           FROM partners WHERE id = '{NORDWIND}' FOR UPDATE"
    );
    let request = post(&server, "commission-lines", &line(NORDWIND, "4.00"));
    let request = request.header("idempotency-key", "used").expect(422);
    let response = waits_for(&server, first, request).await;
    assert_eq!(response.code(), "IDEMPOTENCY_KEY_REUSED");
    let lines: i64 = server.value("SELECT count(*) FROM commission_lines WHERE amount = 4").await;
    assert_eq!(lines, 0);
}

#[tokio::test]
async fn update_of_a_partner_returns_the_owner_that_was_set_while_it_waited() {
    let server = TestServer::start().await;
    let owner = "user_01JV3N8Q5R0000000000000002";
    let change = format!("UPDATE partners SET owner_id = '{owner}' WHERE id = '{NORDWIND}'");
    let request = server.update(NORDWIND, json!({})).expect(200);
    let response = waits_for(&server, change, request).await;
    assert_eq!(response.text_at("/data/owner/id"), owner);
}
