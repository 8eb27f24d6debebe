//! Conversions, reversals, batches and maturity at once on two servers. A test holds a lock until
//! the requests wait for it, so that they meet in the database on every run.

use futures_util::future::{join, join_all};
use payout_server::{
    affiliate::{
        model::Rate,
        operator::{NewLink, store::create_link},
    },
    commission_lines::maturity::store::mature_all,
    postgres::Tenants,
};
use serde_json::{Value, json};

use super::{CONVERSIONS, click};
use crate::{
    state_invariants::broken,
    support::{Key, Replica, TestResponse, TestServer, dataset::*, organization, until, within},
};

/// The other tenant's partner that earns.
const FOREIGN_PARTNER: &str = "ptn_01JV3N8Q5R0200000000000001";
/// Ends after the period of every conversion of these tests.
const PERIOD: [&str; 2] = ["2026-06-01T00:00:00.000Z", "2026-06-30T23:59:59.999Z"];

/// Makes a link that pays 12.50 % at once.
async fn link(server: &TestServer, of: &str, partner_id: &str, code: &str) {
    let rate = Rate::Percent("12.50".parse().unwrap());
    let new = NewLink {
        partner_id,
        target_url: "https://shop.example/",
        plan_name: "Referral",
        rate: &rate,
        hold_days: 0,
        window_days: 90,
    };
    let mut transaction = server.write(of).await;
    create_link(&mut transaction, code, &new).await.unwrap().expect("a new code");
    transaction.commit().await.unwrap();
}

async fn convert(server: &Replica, key: Key, body: Value) -> TestResponse {
    server.post(key, CONVERSIONS).json(&body).send().await
}

async fn reverse(server: &Replica, id: &str) -> TestResponse {
    server.post(Key::MAIN, &format!("{CONVERSIONS}/{id}/reverse")).json(&json!({})).send().await
}

/// Records orders of 10.00 EUR; returns the ids of the conversions.
async fn orders(server: &Replica, click: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    let orders = numbers.map(|number| {
        let body = json!({
            "clickId": click, "externalId": format!("race-{number}"), "amount": "10.00",
            "currency": "EUR",
        });
        convert(server, Key::MAIN, body)
    });
    let recorded = join_all(orders).await.into_iter().map(|response| {
        assert_eq!(response.status, 201, "{}", response.text);
        response.id()
    });
    recorded.collect()
}

/// Matures what is due in main; returns how many lines.
async fn mature(tenants: &Tenants) -> i64 {
    mature_all(tenants, &organization(MAIN), |_| ()).await.unwrap()
}

async fn batch(server: &Replica) -> TestResponse {
    let body = json!({ "periodStart": PERIOD[0], "periodEnd": PERIOD[1] });
    server.post(Key::MAIN, "/api/v1/payout-batches").json(&body).send().await
}

/// Rows of which a recorded order makes one each.
async fn counts(server: &TestServer) -> [i64; 4] {
    let mut counts = [0; 4];
    for (count, rows) in counts.iter_mut().zip([
        "conversions",
        "commission_lines WHERE status = 'EXPECTED'",
        "history WHERE action = 'create_conversion'",
        "history WHERE action = 'create_commission_line'",
    ]) {
        *count = server.value(format!("SELECT count(*) FROM {rows}")).await;
    }
    counts
}

async fn two_servers() -> (TestServer, Replica) {
    let server = TestServer::start_with(|options| options.acquire_seconds = 30).await;
    let replica = server.replica().await;
    // The lines of the data set are no concern of these tests.
    server
        .execute(
            "UPDATE commission_lines SET status = 'VOIDED' WHERE payout_id IS NULL;
             UPDATE commission_lines SET plan_name = 'Earlier' WHERE plan_name = 'Referral'",
        )
        .await;
    link(&server, MAIN, NORDWIND, "code-of-main").await;
    (server, replica)
}

#[tokio::test]
async fn one_order_twice_at_once_is_one_conversion() {
    let (server, replica) = two_servers().await;
    let click = click(&server, "code-of-main").await;
    for external_id in [json!({}), json!({ "externalId": "race-once" })] {
        let before = counts(&server).await;
        // No request can record anything before all that can wait do.
        let lock = server.hold("LOCK TABLE conversions IN SHARE ROW EXCLUSIVE MODE").await;
        let sent = (0..12).map(|number| {
            let mut body = json!({
                "clickId": click, "amount": format!("{}0.00", number + 1), "currency": "EUR",
            });
            if external_id != json!({}) {
                body["externalId"] = external_id["externalId"].clone();
            }
            convert(if number % 2 == 0 { &server } else { &replica }, Key::MAIN, body)
        });
        let release = async {
            until(async || server.waiting().await >= 4).await;
            lock.rollback().await.unwrap();
        };
        let (responses, ()) = within(join(join_all(sent), release)).await;
        let first = &responses[0].body["data"];
        for response in &responses {
            let (status, data) = (response.status.as_u16(), &response.body["data"]);
            let is_new = (status, &data["status"]) == (201, &json!("RECORDED"));
            assert!(is_new || (status, &data["status"]) == (200, &json!("DUPLICATE")), "{data}");
            for same in ["id", "amount", "commissionLineId", "createdAt"] {
                assert_eq!(data[same], first[same], "{}", response.text);
            }
        }
        let recorded = responses.iter().filter(|response| response.status == 201).count();
        assert_eq!(recorded, 1);
        assert_eq!(counts(&server).await, before.map(|rows| rows + 1));
    }
}

#[tokio::test]
async fn reversal_beside_batch_beside_mature_loses_no_cent() {
    let (server, replica) = two_servers().await;
    let (click, tenants) = (click(&server, "code-of-main").await, server.tenants().await);
    let mut kept = 0;
    for round in 0..6 {
        let ids = orders(&server, &click, round * 20..round * 20 + 20).await;
        // Some lines are pending when the batch begins, the others when the command is faster.
        if round % 2 == 0 {
            mature(&tenants).await;
        }
        let reversals = ids.iter().enumerate().filter(|(index, _)| index % 3 == 0);
        let reversals = reversals
            .map(|(index, id)| reverse(if index % 2 == 0 { &server } else { &replica }, id));
        let batches = join(batch(&server), batch(&replica));
        let matures = join(join_all(reversals), join(batches, mature(&tenants)));
        let (reversed, ((first, second), _)) = within(matures).await;
        assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 201));
        for response in &reversed {
            assert_eq!(response.status, 200, "{}", response.text);
            assert!(!response.text_at("/data/reversedAt").is_empty(), "{}", response.text);
        }
        kept += ids.len() - reversed.len();
        // Whatever the command and the batches left is in a payout now.
        mature(&tenants).await;
        assert_eq!(batch(&server).await.status, 201);
        // A payout that is paid beside a reversal either loses the line, or is clawed back.
        let victim = &ids[1];
        let paid = server.value::<String>(format!(
            "SELECT payout_id FROM commission_lines WHERE id =
                    (SELECT commission_line_id FROM conversions WHERE id = '{victim}')"
        ));
        let paid = paid.await;
        let request = server.request(poem::http::Method::PATCH, &format!("/api/v1/payouts/{paid}"));
        let request = request.header("x-api-key", server.key(Key::MAIN));
        let pay = request.json(&json!({ "stage": "PENDING_PAYMENT" })).send();
        let both = join(reverse(&server, victim), reverse(&replica, victim));
        let ((first, second), payment) = within(join(both, pay)).await;
        assert_eq!(first.body["data"]["reversedAt"], second.body["data"]["reversedAt"]);
        // Without its only line it was declined.
        assert!([200, 422].contains(&payment.status.as_u16()), "{}", payment.text);
        kept -= 1;
    }
    mature(&tenants).await;
    let earned = "SELECT sum(amount)::text FROM commission_lines
                   WHERE plan_name = 'Referral' AND status <> 'VOIDED'";
    let cents = i64::try_from(kept * 125).unwrap();
    let earned = server.value::<String>(earned).await;
    assert_eq!(earned.replace('.', "").parse::<i64>().unwrap(), cents, "{earned}");
    let broken = broken(&server.superuser).await;
    assert!(broken.is_empty(), "{broken:#?}");
}

#[tokio::test]
async fn two_matures_at_once_mature_each_line_once() {
    let (server, _) = two_servers().await;
    let click = click(&server, "code-of-main").await;
    let ids = orders(&server, &click, 0..40).await;
    let line = "SELECT commission_line_id FROM conversions WHERE id =";
    let held = server.value::<String>(format!("{line} '{}'", ids[20])).await;
    // A reversal holds one line, which both commands reach, and voids it.
    let void = format!("UPDATE commission_lines SET status = 'VOIDED' WHERE id = '{held}'");
    let reversal = server.hold(void).await;
    let (first, second) = (server.tenants().await, server.tenants().await);
    let release = async {
        until(async || server.waiting().await == 2).await;
        reversal.commit().await.unwrap();
    };
    let (matured, ()) = within(join(join(mature(&first), mature(&second)), release)).await;
    assert_eq!(matured.0 + matured.1, 39);
    let entries = "SELECT count(*) || ' of ' || count(DISTINCT resource_id) FROM history
                    WHERE action = 'mature_commission_line'";
    assert_eq!(server.value::<String>(entries).await, "39 of 39");
    let status = format!("SELECT status FROM commission_lines WHERE id = '{held}'");
    assert_eq!(server.value::<String>(status).await, "VOIDED");
}

#[tokio::test]
async fn clicks_of_two_organisations_in_one_batch_stay_apart() {
    let (server, _) = two_servers().await;
    link(&server, OTHER, FOREIGN_PARTNER, "code-of-other").await;
    let codes = ["code-of-main", "code-of-other"];
    let shared = "SELECT count(*) FROM (SELECT FROM clicks GROUP BY xmin::text
                   HAVING count(DISTINCT organization_id) = 2) AS batch";
    let mut clicks = Vec::new();
    until(async || {
        // The first visit waits, and the others gather behind it.
        let lock = server.hold("LOCK TABLE clicks IN SHARE ROW EXCLUSIVE MODE").await;
        let visits = join_all((0..20).map(|number| click(&server, codes[number % 2])));
        let release = async {
            until(async || server.waiting().await >= 1).await;
            lock.rollback().await.unwrap();
        };
        clicks.extend(within(join(visits, release)).await.0);
        server.value::<i64>(shared).await > 0
    })
    .await;
    for (index, click) in clicks.iter().enumerate() {
        let (owner, key, foreign) = match index % 2 {
            0 => (MAIN, Key::MAIN, Key::OTHER),
            _ => (OTHER, Key::OTHER, Key::MAIN),
        };
        let stored = format!("SELECT organization_id FROM clicks WHERE id = '{click}'");
        assert_eq!(server.value::<String>(stored).await, owner);
        let body = json!({ "clickId": click });
        let response = convert(&server, foreign, body.clone()).await;
        assert_eq!(response.status, 200, "{}", response.text);
        assert_eq!(response.text_at("/data/reason"), "UNKNOWN_CLICK");
        assert!(response.body["data"]["partnerId"].is_null(), "{}", response.text);
        assert_eq!(convert(&server, key, body).await.status, 201);
    }
    for (owner, key) in [(MAIN, Key::MAIN), (OTHER, Key::OTHER)] {
        let shown = server.get(key, &format!("{CONVERSIONS}?limit=100")).expect(200).await.text;
        // Row-level security alone keeps them apart too.
        let mut transaction = server.write(owner).await;
        let seen = sqlx::query_scalar::<_, String>("SELECT id FROM clicks");
        let seen = seen.fetch_all(&mut *transaction).await.unwrap();
        for (index, click) in clicks.iter().enumerate() {
            let is_own = (index % 2 == 0) == (owner == MAIN);
            assert_eq!(shown.contains(click), is_own, "{click} in {shown}");
            assert_eq!(seen.contains(click), is_own, "{click} in {seen:?}");
        }
    }
}
