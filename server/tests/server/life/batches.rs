//! X5: one batch takes every pending line up to the end of its period.

use poem::http::Method;
use serde_json::{Value, json};

use super::{assert_consistent, get, id, line, may, new_partner, post};
use crate::support::{Key, TestServer, dataset::*, operator};

#[tokio::test]
async fn batch_makes_one_payout_for_each_partner_and_currency_with_due_lines() {
    let server = TestServer::start().await;
    // The data set's pending lines in euro and dollars of three partners; one amounts to zero.
    let made = post(&server, "payout-batches", &may(None)).expect(201).await;
    let batch = &made.body["data"];
    assert_eq!((&batch["payoutCount"], &batch["lineCount"]), (&json!(4), &json!(33)));
    let listed = get(&server, &format!("payouts?batchId={}", id(&made.body))).await;
    let mut payouts: Vec<String> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|payout| {
            assert_eq!(payout["stage"], "DRAFT");
            assert_eq!(payout["periodEnd"], batch["periodEnd"]);
            let amount = &payout["amount"];
            format!("{} {}", amount["value"].as_str().unwrap(), amount["currency"])
        })
        .collect();
    payouts.sort();
    assert_eq!(payouts, [r#"-3.10 "EUR""#, r#"0.00 "EUR""#, r#"15.00 "USD""#, r#"151.50 "EUR""#]);
    let rows = operator::history(&server.superuser().await, PENDING_LINE).await;
    assert_eq!(rows.last().unwrap().action, "attach_commission_line");
    let rows = operator::history(&server.superuser().await, &id(&made.body)).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    let after = json!({
        "periodStart": batch["periodStart"], "periodEnd": batch["periodEnd"],
        "payoutCount": 4, "lineCount": 33,
    });
    assert_eq!(row.after, Some(after));
    let totals = json!([
        { "value": "148.40", "currency": "EUR" }, { "value": "15.00", "currency": "USD" },
    ]);
    assert_eq!(batch["totals"], totals);
    assert_eq!(get(&server, &format!("payout-batches/{}", id(&made.body))).await, *batch);
    let first = listed[0]["id"].as_str().unwrap();
    let rows = operator::history(&server.superuser().await, first).await;
    assert_eq!(rows.last().unwrap().after.as_ref().unwrap()["batchId"], batch["id"]);
    assert_consistent(&server).await;
    let empty = post(&server, "payout-batches", &may(None)).expect(201).await;
    assert_eq!(empty.body["data"]["payoutCount"], 0);
}

#[tokio::test]
async fn batch_leaves_lines_of_later_periods_and_takes_none_where_it_is_told() {
    let server = TestServer::start().await;
    let mut body = may(None);
    body["attachPendingLines"] = json!(false);
    let made = post(&server, "payout-batches", &body).expect(201).await;
    assert_eq!(made.body["data"]["lineCount"], 0);
    let april = json!({
        "periodStart": "2026-04-01T00:00:00.000Z", "periodEnd": "2026-04-30T23:59:59.999Z",
    });
    let made = post(&server, "payout-batches", &april).expect(201).await;
    assert_eq!(made.body["data"]["payoutCount"], 0);
}

#[tokio::test]
async fn detached_line_is_taken_by_a_later_batch() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    post(&server, "payout-batches", &may(None)).expect(201).await;
    let made = post(&server, "commission-lines", &line(&partner, "12.30")).expect(201).await;
    let path = format!("commission-lines/{}", id(&made.body));
    for _ in 0..2 {
        let batch = post(&server, "payout-batches", &may(None)).expect(201).await;
        assert_eq!(batch.body["data"]["lineCount"], 1);
        let payout = get(&server, &path).await["payoutId"].as_str().unwrap().to_owned();
        let payout = get(&server, &format!("payouts/{payout}")).await;
        assert_eq!(payout["amount"]["value"], "12.30");
        server.detach(&id(&made.body)).expect(200).await;
    }
}

#[tokio::test]
async fn batch_that_takes_longer_than_its_limit_gets_503_and_takes_nothing() {
    let server = TestServer::start().await;
    // A batch that succeeds may take longer than its limit on a busy machine.
    let limited = server.replica_with(|options| options.batch_seconds = 1).await;
    let superuser = server.superuser().await;
    let mut transaction = superuser.begin().await.unwrap();
    let lock = "LOCK TABLE payout.commission_lines IN ACCESS EXCLUSIVE MODE";
    sqlx::query(lock).execute(&mut *transaction).await.unwrap();
    let path = "/api/v1/payout-batches";
    let request = limited.request(Method::POST, path, server.key(Key::MAIN));
    let request = request.header("content-type", "application/json");
    request.body(may(None).to_string()).expect(503).await;
    transaction.rollback().await.unwrap();
    let made = post(&server, "payout-batches", &may(None)).expect(201).await;
    assert_eq!(made.body["data"]["lineCount"], 33);
}

#[tokio::test]
async fn batch_shows_the_counts_and_sums_of_its_payouts_today() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let mut body = may(Some(&partner));
    let payout = post(&server, "payouts", &body).expect(201).await;
    let batch = payout.body["data"]["batchId"].as_str().unwrap().to_owned();
    let path = format!("payout-batches/{batch}");
    let own = get(&server, &path).await;
    assert_eq!((&own["payoutCount"], &own["lineCount"]), (&json!(1), &json!(0)));
    assert_eq!(own["totals"], json!([{ "value": "0.00", "currency": "EUR" }]));
    assert_eq!(own["periodEnd"], body["periodEnd"]);
    // In dollars, and with two lines, of which one leaves.
    body["currency"] = json!("USD");
    body["batchId"] = json!(batch);
    let dollars = id(&post(&server, "payouts", &body).expect(201).await.body);
    let mut new = line(&partner, "7.00");
    new["currency"] = json!("USD");
    new["payoutId"] = json!(dollars);
    let lines = [(); 2].map(|()| post(&server, "commission-lines", &new));
    let [first, _second] = lines.map(|made| made.expect(201));
    let (first, _second) = tokio::join!(first, _second);
    server.detach(&id(&first.body)).expect(200).await;
    let now = get(&server, &path).await;
    assert_eq!((&now["payoutCount"], &now["lineCount"]), (&json!(2), &json!(1)));
    let totals =
        json!([{ "value": "0.00", "currency": "EUR" }, { "value": "7.00", "currency": "USD" }]);
    assert_eq!(now["totals"], totals);
    assert_eq!(get(&server, "payout-batches?limit=1").await[0], now, "the newest is the first");
    let foreign = server.get(Key::OTHER, &format!("/api/v1/{path}")).expect(404).await;
    assert_eq!(foreign.code(), "NOT_FOUND");
}

#[tokio::test]
async fn every_batch_is_listed_once_by_pages() {
    let server = TestServer::start().await;
    let all = get(&server, "payout-batches?limit=100").await;
    let ids = |page: &Value| -> Vec<Value> {
        page.as_array().unwrap().iter().map(|batch| batch["id"].clone()).collect()
    };
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/v1/payout-batches?limit=4{cursor}");
        let page = server.get(Key::MAIN, &path).expect(200).await;
        walked.extend(ids(&page.body["data"]));
        let Some(next) = page.next_cursor() else { break };
        cursor = format!("&cursor={next}");
    }
    assert!(walked.len() > 10);
    assert_eq!(walked, ids(&all));
}
