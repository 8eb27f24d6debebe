//! `payouts create`: exactly the partner's pending lines of the currency, and their exact sum.

use serde_json::{Value, json};

use crate::support::Deployment;

const PARTNER: &str = "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A";

fn line(amount: &str, currency: &str, status: &str) -> Value {
    json!({ "partner": "p", "description": amount, "amount": amount, "sourceAmount": amount,
        "currency": currency, "status": status,
        "planName": "plan", "periodEnd": "2026-05-31T00:00:00.000Z" })
}

fn create<'a>(organization: &'a str, partner: &'a str) -> Vec<&'a str> {
    vec![
        "payouts",
        "create",
        "--organization",
        organization,
        "--partner",
        partner,
        "--currency",
        "EUR",
        "--period-start",
        "2026-05-01",
        "--period-end",
        "2026-05-31",
    ]
}

#[tokio::test]
async fn a_payout_takes_exactly_the_pending_lines_of_its_currency() {
    let deployment = Deployment::create().await;
    let lines = json!([
        line("90071992547409.93", "EUR", "PENDING"),
        line("-0.01", "EUR", "PENDING"),
        line("5.00", "USD", "PENDING"),
        line("6.00", "EUR", "EXPECTED"),
        line("7.00", "EUR", "VOIDED")
    ]);
    let organization = deployment.import_organization("o", PARTNER, lines).await;
    let made = deployment.json(
        &[&create(&organization, PARTNER)[..], &["--attach-pending", "--po-number", "PO-1"]]
            .concat(),
    );
    assert_eq!(made["lines"], 2);
    assert_eq!(made["amount"], json!({ "value": "90071992547409.92", "currency": "EUR" }));
    let stored = "SELECT amount || ' ' || stage || ' ' || po_number FROM payout.payouts";
    assert_eq!(deployment.value(stored).await, "90071992547409.92 DRAFT PO-1");
    let attached = "SELECT string_agg(description || ' ' || status, ', '
                      ORDER BY description COLLATE \"C\")
                     FROM payout.commission_lines
                    WHERE (payout_id IS NOT NULL) = (status = 'IN_PAYOUT')";
    let expected =
        "-0.01 IN_PAYOUT, 5.00 PENDING, 6.00 EXPECTED, 7.00 VOIDED, 90071992547409.93 IN_PAYOUT";
    assert_eq!(deployment.value(attached).await, expected);
    let actions = "SELECT string_agg(action, ' ' ORDER BY action) FROM payout.history
                     WHERE action ~ 'payout|line'";
    let expected =
        "attach_commission_line attach_commission_line create_payout create_payout_batch";
    assert_eq!(deployment.value(actions).await, expected);
    // The pool is empty now: a second payout finds no lines.
    let second =
        deployment.json(&[&create(&organization, PARTNER)[..], &["--attach-pending"]].concat());
    assert_eq!((&second["lines"], &second["amount"]["value"]), (&json!(0), &json!("0.00")));
}

#[tokio::test]
async fn without_attach_pending_a_payout_is_empty() {
    let deployment = Deployment::create().await;
    let organization =
        deployment.import_organization("o", PARTNER, json!([line("1.00", "EUR", "PENDING")])).await;
    let printed = deployment.run(&create(&organization, PARTNER));
    assert!(printed.trim().ends_with(": 0 lines, 0.00 EUR"), "{printed}");
}

#[tokio::test]
async fn a_foreign_partner_is_rejected_like_an_unknown_one() {
    let deployment = Deployment::create().await;
    deployment.import_organization("o", PARTNER, json!([])).await;
    let other =
        deployment.import_organization("other", "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0B", json!([])).await;
    let error = deployment.reject(1, &create(&other, PARTNER));
    assert!(error.contains("has no partner"), "{error}");
    assert_eq!(deployment.value("SELECT count(*)::text FROM payout.payouts").await, "0");
}

#[tokio::test]
async fn period_of_a_payout_ends_after_it_begins() {
    let deployment = Deployment::create().await;
    for end in ["2026-05-01", "2026-04-30"] {
        let mut arguments = create("org_01JV3N8Q5RHWXK2M4P6S7T9V0A", PARTNER);
        *arguments.last_mut().unwrap() = end;
        let error = deployment.reject(1, &arguments);
        let expected = "--period-end must be later than --period-start, which is 2026-05-01T";
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn po_number_has_at_most_100_characters_as_in_the_api() {
    let deployment = Deployment::create().await;
    let organization = deployment.import_organization("o", PARTNER, json!([])).await;
    let (longest, longer) = ("é".repeat(100), "é".repeat(101));
    let create_with =
        |number| [&create(&organization, PARTNER)[..], &["--po-number", number]].concat();
    let made = deployment.json(&create_with(&longest));
    let payout = made["id"].as_str().unwrap();
    let set =
        |number| ["payouts", "set-po-number", "--organization", &organization, payout, number];
    let set_again = deployment.run(&set(&longest));
    assert!(set_again.contains("has not changed"), "{set_again}");
    for arguments in [create_with(&longer), set(&longer).to_vec(), set("").to_vec()] {
        let error = deployment.reject(2, &arguments);
        assert!(error.contains("must have at"), "{error}");
    }
}

#[tokio::test]
async fn unknown_payout_is_answered_with_the_list_of_payouts() {
    let deployment = Deployment::create().await;
    let organization = deployment.import_organization("o", PARTNER, json!([])).await;
    let unknown = "pay_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    for command in ["set-po-number", "set-note"] {
        let error = deployment
            .reject(1, &["payouts", command, "--organization", &organization, unknown, "--clear"]);
        assert!(error.contains("GET /api/v1/payouts lists them"), "{error}");
    }
}
