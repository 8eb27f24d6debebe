//! Each rule between entries, broken on its own.

use super::*;
use serde_json::{Value, json};

fn pointers(organization: Value) -> Vec<String> {
    let dataset = json!({ "organizations": [organization] });
    let dataset: Dataset = serde_json::from_value(dataset).expect("a well-formed file");
    violations(&dataset).into_iter().map(|violation| violation.pointer).collect()
}

fn line(change: Value) -> Value {
    let mut line = json!({
        "partner": "p", "description": "d", "amount": "1.00", "sourceAmount": "1.00",
        "currency": "EUR", "planName": "plan", "periodEnd": "2026-01-31T00:00:00.000Z" });
    line.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    line
}

fn organization(payout: Value, line: Value) -> Value {
    let mut whole = json!({ "ref": "a", "partner": "p", "periodStart": "2026-01-01T00:00:00.000Z",
        "periodEnd": "2026-01-31T00:00:00.000Z", "currency": "EUR", "stage": "DRAFT" });
    whole.as_object_mut().unwrap().extend(payout.as_object().unwrap().clone());
    json!({ "name": "o", "partners": [{ "ref": "p", "name": "P" }, { "ref": "q", "name": "Q" }],
        "payouts": [whole], "commissionLines": [line] })
}

#[test]
fn a_sound_organization_breaks_no_rule() {
    assert_eq!(pointers(organization(json!({}), line(json!({ "payout": "a" })))), [""; 0]);
}

#[test]
fn a_line_agrees_with_its_payout() {
    let wrong =
        line(json!({ "payout": "a", "partner": "q", "currency": "USD", "status": "PENDING" }));
    let at = "/organizations/0/commissionLines/0";
    assert_eq!(
        pointers(organization(json!({}), wrong)),
        [format!("{at}/partner"), format!("{at}/currency"), format!("{at}/status")]
    );
    let loose = line(json!({ "status": "IN_PAYOUT" }));
    assert_eq!(pointers(organization(json!({}), loose)), [format!("{at}/status")]);
}

#[test]
fn references_lead_somewhere() {
    let wrong = organization(
        json!({ "partner": "nobody" }),
        line(json!({ "payout": "none", "partner": "nobody" })),
    );
    assert_eq!(pointers(wrong).len(), 3);
    let partner = json!({ "name": "o", "partners": [{
        "ref": "p", "name": "P", "tier": "t", "phase": "f",
        "experienceTemplate": "e", "owner": "o", "manager": "m" }] });
    assert_eq!(pointers(partner).len(), 5);
}

#[test]
fn ids_external_ids_and_local_names_are_used_once() {
    let id = "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    let twice = json!({ "name": "o", "partners": [
        { "ref": "p", "name": "P", "id": id, "externalId": "1" },
        { "ref": "p", "name": "Q", "id": id, "externalId": "1" }] });
    let at = "/organizations/0/partners/1";
    assert_eq!(
        pointers(twice),
        [format!("{at}/ref"), format!("{at}/id"), format!("{at}/externalId")]
    );
}

#[test]
fn an_external_id_may_be_another_partners_id() {
    let id = "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    let both = json!({ "name": "o", "partners": [
        { "ref": "p", "name": "P", "id": id }, { "ref": "q", "name": "Q", "externalId": id }] });
    assert_eq!(pointers(both), [""; 0]);
}

#[test]
fn repeated_lines_need_ids_and_keys_of_their_own() {
    let first = "cln_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    let second = "cln_01JV3N8Q5RHWXK2M4P6S7T9V0B";
    let mut organization =
        organization(json!({}), line(json!({ "id": first, "repeat": 2, "idempotencyKey": "k" })));
    organization["commissionLines"].as_array_mut().unwrap().push(line(json!({ "id": second })));
    let at = "/organizations/0/commissionLines";
    assert_eq!(pointers(organization), [format!("{at}/0/idempotencyKey"), format!("{at}/1/id")]);
}

#[test]
fn times_exist_and_run_forwards() {
    let payout =
        json!({ "periodEnd": "2025-12-31T00:00:00.000Z", "createdAt": "2026-02-30T00:00:00.000Z" });
    let line = line(
        json!({ "createdAt": "2026-01-02T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z" }),
    );
    let at = "/organizations/0";
    let instant = json!({ "periodEnd": "2026-01-01T00:00:00.000Z" });
    let sound = self::line(json!({}));
    assert_eq!(pointers(organization(instant, sound)), [format!("{at}/payouts/0/periodEnd")]);
    assert_eq!(
        pointers(organization(payout, line)),
        [
            format!("{at}/payouts/0/periodEnd"),
            format!("{at}/payouts/0/createdAt"),
            format!("{at}/commissionLines/0/updatedAt")
        ]
    );
}

#[test]
fn sums_fit_the_table() {
    let line = line(json!({ "payout": "a", "amount": "999999999999999999.99", "repeat": 2 }));
    assert_eq!(pointers(organization(json!({}), line)), ["/organizations/0/payouts/0"]);
}

#[test]
fn keys_say_how_they_live_or_when_they_ended() {
    let keys = json!({ "name": "o", "keys": [
        { "name": "a", "scopes": [], "endedAt": "2026-01-01T00:00:00.000Z" },
        { "name": "a", "scopes": [], "state": "expired", "expiresInDays": 3 }] });
    let at = "/organizations/0/keys";
    assert_eq!(
        pointers(keys),
        [format!("{at}/0/endedAt"), format!("{at}/1/name"), format!("{at}/1/expiresInDays")]
    );
}

#[test]
fn uploaded_statement_must_be_a_pdf() {
    let refused =
        |text: &str| pointers(organization(json!({ "uploadedStatement": text }), line(json!({}))));
    let pointer = ["/organizations/0/payouts/0/uploadedStatement"];
    assert_eq!(refused("R0lGODlh"), pointer, "a GIF");
    assert_eq!(refused("AAA"), pointer, "no base64");
    assert!(refused("JVBERi0xLjQ=").is_empty());
}

#[test]
fn logo_must_be_a_png() {
    let mut entry = organization(json!({}), line(json!({})));
    for logo in ["R0lGODlh", "AAA"] {
        entry["template"] = json!({ "logo": logo });
        assert_eq!(pointers(entry.clone()), ["/organizations/0/template/logo"], "{logo}");
    }
}
