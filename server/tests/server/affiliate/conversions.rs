//! What clicks become, and what happens to that (X19, X20).

use serde_json::{Value, json};

use super::{CODE, click, fixed, line_of, new_link, order, record, reverse};
use crate::support::{
    Key, TestServer, counted,
    dataset::{MAIN, NORDWIND},
};
use payout_server::affiliate::{model::Rate, operator::store};
use rust_decimal::Decimal;

#[tokio::test]
async fn fixed_commission_is_paid_in_the_currency_of_the_link_whatever_the_order_is_worth() {
    let server = TestServer::start().await;
    new_link(&server, "fixed-link", fixed("25.00", "CHF"), [0, 1]).await;
    let click = click(&server, "fixed-link").await;
    let body = json!({
        "clickId": click, "externalId": "o-1", "amount": "9.99", "currency": "USD",
        "email": "sam@customer.example", "properties": { "campaign": "spring" },
    });
    let recorded = record(&server, body, 201).await;
    let line = line_of(&server, &recorded).await;
    for (member, value) in [
        ("amount", "25.00"),
        ("sourceAmount", "9.99"),
        ("currency", "CHF"),
        ("planName", "Referral"),
        ("partnerId", NORDWIND),
        ("description", "Conversion o-1"),
        ("periodEnd", "2026-06-30T23:59:59.999Z"),
    ] {
        assert_eq!(line.text_at(&format!("/data/{member}")), value, "{member}");
    }
    let kept = "SELECT email || ' ' || (properties ->> 'campaign') FROM conversions
                 WHERE external_id = 'o-1'";
    assert_eq!(server.value::<String>(kept).await, "sam@customer.example spring");
    // A lead without an order has the commission too, and its own id in the description.
    let lead =
        record(&server, json!({ "clickId": super::click(&server, "fixed-link").await }), 201);
    let lead = lead.await;
    let line = line_of(&server, &lead).await;
    assert_eq!(line.text_at("/data/description"), format!("Conversion {}", lead.id()));
    assert_eq!(line.text_at("/data/sourceAmount"), "0.00");
}

#[tokio::test]
async fn conversions_outside_the_window_or_after_the_end_of_the_link_are_ignored_and_counted() {
    let server = TestServer::start().await;
    new_link(&server, "day-long-link", Rate::Percent(Decimal::TEN), [30, 1]).await;
    let click = click(&server, "day-long-link").await;
    let order = json!({ "clickId": click, "amount": "1.00", "currency": "EUR" });
    let at = |time: &str| {
        let mut order = order.clone();
        order["occurredAt"] = json!(time);
        order
    };
    server.database.set_clock("2026-06-16T18:00:00.000Z").await.unwrap();
    let mut transaction = server.write(MAIN).await;
    store::disable_link(&mut transaction, "day-long-link").await.unwrap();
    transaction.commit().await.unwrap();
    for (time, reason) in [
        ("2026-06-15T11:59:59.999Z", "BEFORE_CLICK"),
        ("2026-06-16T12:00:00.001Z", "CLICK_EXPIRED"),
    ] {
        let ignored = record(&server, at(time), 200).await;
        assert_eq!(ignored.text_at("/data/status"), "IGNORED");
        assert_eq!(ignored.text_at("/data/reason"), reason);
        assert_eq!(ignored.text_at("/data/partnerId"), NORDWIND);
        assert_eq!(ignored.text_at("/data/occurredAt"), time);
        let name = format!("payout_conversions_ignored_total{{reason=\"{reason}\"}}");
        assert_eq!(counted(&server.metrics(), &name), 1);
    }
    // An order from before the link was disabled still counts.
    let recorded = record(&server, at("2026-06-16T12:00:00.000Z"), 201).await;
    assert_eq!(recorded.text_at("/data/status"), "RECORDED");
    let rows = "SELECT count(*) FROM conversions WHERE id NOT LIKE 'cnv_01JV3N8Q5R%'";
    assert_eq!(server.value::<i64>(rows).await, 1);
}

#[tokio::test]
async fn conversion_after_its_link_was_disabled_is_ignored() {
    let server = TestServer::start().await;
    let click = click(&server, CODE).await;
    let mut transaction = server.write(MAIN).await;
    store::disable_link(&mut transaction, CODE).await.unwrap();
    transaction.commit().await.unwrap();
    let ignored = record(&server, json!({ "clickId": click }), 200).await;
    assert_eq!(ignored.text_at("/data/reason"), "LINK_DISABLED");
}

#[tokio::test]
async fn click_of_another_organisation_is_unknown_and_its_orders_are_its_own() {
    let server = TestServer::start().await;
    let foreign = click(&server, "other-affiliate").await;
    let body = json!({ "clickId": foreign, "amount": "1.00", "currency": "EUR" });
    let ignored = record(&server, body, 200).await;
    assert_eq!(ignored.text_at("/data/reason"), "UNKNOWN_CLICK");
    assert_eq!(ignored.body["data"]["partnerId"], Value::Null);
    // Both organisations have an order of this name in the data set.
    let known = json!({ "clickId": "none", "externalId": "order-1" });
    let known = record(&server, known, 200).await;
    assert_eq!(known.id(), "cnv_01JV3N8Q5R0000000000000001");
    let path = "/api/v1/affiliate/conversions/cnv_01JV3N8Q5R0200000000000001/reverse";
    server.post(Key::MAIN, path).expect(404).await;
}

#[tokio::test]
async fn reversal_does_what_the_stage_of_the_payout_allows() {
    let server = TestServer::start().await;
    let stages = [
        ("DRAFT", "DECLINED"),
        ("PENDING_REVIEW", "DECLINED"),
        ("APPROVED", "DECLINED"),
        ("PENDING_INVOICE", "DECLINED"),
        ("BLOCKED", "DECLINED"),
        ("FAILED", "DECLINED"),
        ("POSTPONED", "POSTPONED"),
        ("DECLINED", "DECLINED"),
        ("SCHEDULED", "SCHEDULED"),
        ("PENDING_PAYMENT", "PENDING_PAYMENT"),
        ("PAID", "PAID"),
    ];
    for (number, (stage, after)) in stages.into_iter().enumerate() {
        let order_id = format!("stage-{stage}");
        let conversion = order(&server, &order_id).await;
        let line = conversion.text_at("/data/commissionLineId").to_owned();
        let payout = format!("pay_test_{number}");
        server
            .execute(format!(
                "INSERT INTO payout_batches (organization_id, id, period_start, period_end)
                 VALUES ('{MAIN}', 'pbt_test_{number}', '2026-01-01', '2026-02-01');
                 INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start,
                                      period_end, currency, stage, amount)
                 VALUES ('{MAIN}', '{payout}', '{NORDWIND}', 'pbt_test_{number}', '2026-01-01',
                         '2026-02-01', 'EUR', '{stage}', 10);
                 UPDATE commission_lines SET status = 'IN_PAYOUT', payout_id = '{payout}'
                  WHERE id = '{line}'"
            ))
            .await;
        reverse(&server, &conversion.id()).await;
        let is_locked = ["SCHEDULED", "PENDING_PAYMENT", "PAID"].contains(&stage);
        let (status, amount) = if is_locked { ("IN_PAYOUT", "10.00") } else { ("VOIDED", "0.00") };
        assert_eq!(line_of(&server, &conversion).await.text_at("/data/status"), status, "{stage}");
        let state = format!("SELECT stage || ' ' || amount FROM payouts WHERE id = '{payout}'");
        assert_eq!(server.value::<String>(state).await, format!("{after} {amount}"), "{stage}");
        let claw_backs = format!(
            "SELECT coalesce(sum(amount), 0)::text || ' ' || coalesce(min(status), '')
               FROM commission_lines WHERE description = 'Reversal of conversion {order_id}'"
        );
        let expected = if is_locked { "-10.00 PENDING" } else { "0 " };
        assert_eq!(server.value::<String>(claw_backs).await, expected, "{stage}");
    }
}

#[tokio::test]
async fn line_that_was_declined_or_never_made_stays_as_it_is_when_its_conversion_is_reversed() {
    let server = TestServer::start().await;
    let declined = order(&server, "declined").await;
    let line = declined.text_at("/data/commissionLineId").to_owned();
    server
        .execute(format!("UPDATE commission_lines SET status = 'VOIDED' WHERE id = '{line}'"))
        .await;
    let before = line_of(&server, &declined).await;
    reverse(&server, &declined.id()).await;
    assert_eq!(line_of(&server, &declined).await.body, before.body);
    let click = click(&server, CODE).await;
    let free = record(&server, json!({ "clickId": click }), 201).await;
    let reversed = reverse(&server, &free.id()).await;
    assert_eq!(reversed.text_at("/data/reversedAt"), "2026-06-15T12:00:00.000Z");
    let again = reverse(&server, &free.id()).await;
    assert_eq!(again.body, reversed.body);
    let entries = "SELECT count(*) FROM history WHERE action = 'reverse_conversion'";
    assert_eq!(server.value::<i64>(entries).await, 2);
}
