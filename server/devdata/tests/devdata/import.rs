//! `import`: a file is imported completely, or rejected with every violation.

use serde_json::json;

use crate::{
    closed_output::ends_the_same_without_a_reader,
    support::{Deployment, program},
};

const DATASET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/dataset.json");

async fn organizations(deployment: &Deployment) -> String {
    deployment.value("SELECT count(*)::text FROM payout.organizations").await
}

#[tokio::test]
async fn a_file_with_faults_is_rejected_with_all_of_them() {
    let deployment = Deployment::create().await;
    let file = json!({ "organizations": [{ "name": "sound" }, {
        "name": "faulty",
        "partners": [{ "ref": "p", "name": "P", "tier": "gold", "owner": "ada" }],
        "payouts": [{
            "ref": "x", "partner": "q", "periodStart": "2026-05-01T00:00:00.000Z",
            "periodEnd": "2026-04-01T00:00:00.000Z", "currency": "EUR", "stage": "PAID",
        }],
    }] });
    let path = deployment.file("faulty.json", &file.to_string());
    let error = deployment.reject(1, &["import", &path]);
    assert!(error.contains("4 rules are broken; nothing was imported"), "{error}");
    for pointer in
        ["partners/0/tier", "partners/0/owner", "payouts/0/partner", "payouts/0/periodEnd"]
    {
        assert!(error.contains(&format!("line 1, /organizations/1/{pointer}: ")), "{error}");
    }
    assert_eq!(organizations(&deployment).await, "0");
}

#[tokio::test]
async fn an_amount_for_a_payout_is_rejected() {
    let deployment = Deployment::create().await;
    let file = json!({ "organizations": [{
        "name": "o",
        "partners": [{ "ref": "p", "name": "P" }],
        "payouts": [{
            "ref": "x", "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
            "periodEnd": "2026-05-01T00:00:00.000Z", "currency": "EUR", "stage": "PAID",
            "amount": "1.00",
        }],
    }] });
    let path = deployment.file("amount.json", &file.to_string());
    assert!(deployment.reject(1, &["import", &path]).contains("amount"));
}

#[tokio::test]
async fn importing_twice_is_rejected_and_changes_nothing() {
    let deployment = Deployment::create().await;
    let keys = deployment.folder.path().join("k.env");
    deployment.run(&["import", DATASET, "--keys-file", keys.to_str().unwrap()]);
    let rows = "SELECT (SELECT count(*) FROM payout.commission_lines) || ' '
                    || (SELECT count(*) FROM payout.api_keys)";
    let before = deployment.value(rows).await;
    let error = deployment.reject(1, &["import", DATASET]);
    assert!(error.contains("nothing was imported") && error.contains("\"main\""), "{error}");
    assert_eq!(deployment.value(rows).await, before);
}

#[tokio::test]
async fn payout_amounts_are_the_sums_of_their_lines() {
    let deployment = Deployment::create().await;
    deployment.run(&["import", DATASET]);
    let wrong = "SELECT count(*)::text FROM payout.payouts p
                  WHERE amount <> coalesce((SELECT sum(l.amount) FROM payout.commission_lines l
                                             WHERE l.organization_id = p.organization_id
                                               AND l.payout_id = p.id), 0)";
    assert_eq!(deployment.value(wrong).await, "0");
    let stages = "SELECT count(DISTINCT stage)::text FROM payout.payouts";
    assert_eq!(deployment.value(stages).await, "11");
    let forty_one =
        "SELECT amount::text FROM payout.payouts WHERE id = 'pay_01JV3N8Q5R0000000000000002'";
    assert_eq!(deployment.value(forty_one).await, "410.41");
}

#[tokio::test]
async fn keys_are_printed_without_a_file_for_them() {
    let deployment = Deployment::create().await;
    let key = json!({ "name": "k", "scopes": ["partners:read"] });
    let file = json!({ "organizations": [{ "name": "o", "keys": [key] }] });
    let path = deployment.file("keys.json", &file.to_string());
    let printed = deployment.run(&["import", &path, "--environment", "live"]);
    assert!(printed.contains("not shown again") && printed.contains("pcp_live_"), "{printed}");
}

#[tokio::test]
async fn check_and_print_schema_touch_no_database() {
    let deployment = Deployment::create().await;
    let elsewhere = ["--database-url", "postgres://nobody@127.0.0.1:1/none"];
    deployment.run(&[&["import", "--check", DATASET][..], &elsewhere].concat());
    let schema = deployment.run(&[&["import", "--print-schema"][..], &elsewhere].concat());
    assert!(schema.contains("\"organizations\""));
    deployment.reject(2, &["import"]);
}

#[test]
fn schema_is_printed_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    ends_the_same_without_a_reader(|| {
        let mut command = program(folder.path());
        command.args(["import", "--print-schema"]);
        command
    });
}
