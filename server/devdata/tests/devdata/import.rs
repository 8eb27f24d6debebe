//! `import`: a file is imported completely, or rejected with every violation.

use payout_devdata::Dataset;
use serde_json::{Value, json};

use crate::{
    closed_output::ends_the_same_without_a_reader,
    support::{Deployment, program},
};

const DATASET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/dataset.json");

async fn organizations(deployment: &Deployment) -> String {
    deployment.value("SELECT count(*)::text FROM payout.organizations").await
}

#[tokio::test]
async fn wrong_value_is_reported_with_its_line_and_nothing_is_imported() {
    let deployment = Deployment::create().await;
    let payout = json!({
        "ref": "x", "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
        "periodEnd": "2026-02-30T00:00:00.000Z", "currency": "EUR", "stage": "PAID",
    });
    let file = json!({ "organizations": [{ "name": "sound" }, {
        "name": "faulty", "partners": [{ "ref": "p", "name": "P" }], "payouts": [payout],
    }] });
    let path = deployment.file("faulty.json", &format!("{file:#}"));
    for arguments in [&["import", &path][..], &["import", "--check", &path]] {
        let error = deployment.reject(1, arguments);
        assert!(error.contains("nothing was imported"), "{error}");
        assert!(error.contains("organizations[1].payouts[0].periodEnd: "), "{error}");
        assert!(error.contains("line 19"), "{error}");
    }
    assert_eq!(organizations(&deployment).await, "0");
}

/// Each of these breaks a constraint of a table, which the message names with the row or its key.
#[tokio::test]
async fn row_that_the_database_rejects_is_reported() {
    let deployment = Deployment::create().await;
    let line = |change: Value| {
        let mut line = json!({
            "partner": "p", "description": "wrong line", "amount": "1.00", "sourceAmount": "1.00",
            "currency": "EUR", "planName": "plan", "periodEnd": "2026-01-31T00:00:00.000Z" });
        line.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        line
    };
    let twice = json!({ "repeat": 2, "idempotencyKey": "order-1" });
    for (change, constraint, row) in [
        (json!({ "payout": "x", "currency": "USD" }), "commission_lines_payout_fkey", "USD"),
        (json!({ "payout": "x", "partner": "q" }), "commission_lines_payout_fkey", "ptn_"),
        (json!({ "status": "IN_PAYOUT" }), "commission_lines_attached_check", "wrong line"),
        (twice, "commission_lines_by_idempotency_key", "order-1"),
    ] {
        let file = json!({ "organizations": [{
            "name": "faulty",
            "partners": [{ "ref": "p", "name": "P" }, { "ref": "q", "name": "Q" }],
            "payouts": [{
                "ref": "x", "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
                "periodEnd": "2026-05-31T00:00:00.000Z", "currency": "EUR", "stage": "DRAFT",
            }],
            "commissionLines": [line(change)],
        }] });
        let path = deployment.file("faulty.json", &file.to_string());
        let error = deployment.reject(1, &["import", &path]);
        let reported = error.contains("\"faulty\" was not imported") && error.contains(row);
        assert!(reported && error.contains(constraint), "{error}");
        assert_eq!(organizations(&deployment).await, "0");
    }
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
async fn uploaded_statement_becomes_an_asset_with_its_object() {
    let deployment = Deployment::create().await;
    let file = json!({ "organizations": [{
        "name": "o",
        "partners": [{ "ref": "p", "name": "P" }],
        "payouts": [{
            "ref": "x", "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
            "periodEnd": "2026-05-31T00:00:00.000Z", "currency": "EUR", "stage": "PAID",
            "uploadedStatement": "JVBERi0xLjQ=",
        }],
    }] });
    let path = deployment.file("upload.json", &file.to_string());
    deployment.run(&["import", &path]);
    let assets = "SELECT concat_ws(' ', count(*), min(length),
                                   (SELECT count(*) FROM payout.asset_intents))
                    FROM payout.assets WHERE fingerprint IS NULL";
    assert_eq!(deployment.value(assets).await, "1 8 0");
    let object = "SELECT organization_id || '/' || id FROM payout.assets";
    let object = deployment.value(object).await;
    let id = object.rsplit('/').next().unwrap().to_owned();
    let mut folders = vec![deployment.folder.path().join("assets")];
    let mut contents = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false if entry.path().to_string_lossy().contains(&id) => {
                    contents.push(std::fs::read(entry.path()).unwrap());
                }
                false => {}
            }
        }
    }
    assert_eq!(contents, [b"%PDF-1.4"]);
}

#[tokio::test]
async fn active_key_that_has_ended_is_rejected() {
    let deployment = Deployment::create().await;
    let key = json!({ "name": "k", "scopes": [], "endedAt": "2026-01-01T00:00:00.000Z" });
    let file = json!({ "organizations": [{ "name": "o", "keys": [key] }] });
    let path = deployment.file("keys.json", &file.to_string());
    let error = deployment.reject(1, &["import", &path]);
    assert!(error.contains("the active key \"k\" has an `endedAt`"), "{error}");
    assert_eq!(organizations(&deployment).await, "0");
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
async fn check_touches_no_database() {
    let deployment = Deployment::create().await;
    let elsewhere = ["--database-url", "postgres://nobody@127.0.0.1:1/none"];
    deployment.run(&[&["import", "--check", DATASET][..], &elsewhere].concat());
    deployment.reject(2, &["import"]);
}

#[test]
fn check_ends_the_same_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    ends_the_same_without_a_reader(|| {
        let mut command = program(folder.path());
        command.args(["import", "--check", DATASET]);
        command
    });
}

/// The error of a file with this organisation.
fn error(organization: Value) -> String {
    let file = json!({ "organizations": [organization] });
    Dataset::read(&format!("{file:#}")).expect_err("a wrong file").to_string()
}

#[test]
fn wrong_value_is_reported_with_its_path_and_line() {
    let amount = |amount: Value| {
        error(json!({ "id": "org_01JV3N8Q5R0000000000000001", "name": "o",
            "payouts": [], "commissionLines": [{ "amount": amount }] }))
    };
    for (value, reason) in [
        (json!("1.005"), "must be an amount with exactly two fraction digits"),
        (json!(1.5), "expected a string"),
    ] {
        let error = amount(value);
        let place = "organizations[0].commissionLines[0].amount: ";
        assert!(error.contains(place) && error.contains(reason), "{error}");
        assert!(error.contains("at line "), "{error}");
    }
}

#[test]
fn unknown_field_is_reported_with_those_that_exist() {
    let error = error(json!({ "name": "o", "payouts": [{ "ref": "p", "amount": "1.00" }] }));
    assert!(error.contains("unknown field `amount`, expected one of `ref`, `id`"), "{error}");
}

#[test]
fn wrong_name_or_id_is_reported_with_its_place() {
    let twice = json!({ "name": "o", "tiers": [
        { "ref": "t", "name": "T" }, { "ref": "t", "name": "U" }] });
    let nowhere = json!({ "name": "o", "partners": [{ "ref": "p", "name": "P", "tier": "t" }] });
    let no_id = json!({ "name": "o", "users": [
        { "ref": "u", "id": "ptn_1", "name": "U", "email": "u@example.com" }] });
    let ended = json!({ "name": "o", "partners": [{ "ref": "p", "name": "P" }], "payouts": [{
        "ref": "x", "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
        "periodEnd": "2026-05-01T00:00:00.000Z", "currency": "EUR", "stage": "DRAFT" }] });
    for (organization, expected) in [
        (ended, "organizations[0].payouts[0].periodEnd: must be later than periodStart"),
        (twice, "organizations[0].tiers[1].ref: \"t\" is used twice"),
        (nowhere, "organizations[0].partners[0].tier: no entry of `tiers` has the `ref` \"t\""),
        (no_id, "organizations[0].users[0].id: \"ptn_1\" is not `user_` and a ULID"),
    ] {
        let error = error(organization);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn organizations_have_names_of_their_own() {
    let error = Dataset::read(r#"{"organizations": [{"name": "o"}, {"name": "o"}]}"#).unwrap_err();
    assert!(error.to_string().contains("two organizations have the name \"o\""), "{error}");
}
