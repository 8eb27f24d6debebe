//! Tests of the differences of two responses, by what is compared.

use super::*;
use crate::{
    document::DOCUMENT,
    snapshot::{places::Places, recording::Key},
};

const PAYOUT: &str = r#"{"data": {
    "id": "[payout.1]", "partnerId": "[partner.1]", "name": "", "stage": "DRAFT",
    "amount": {"value": "12.50", "currency": "EUR"}, "metadata": {"a": 1},
    "createdAt": "2026-01-02T09:00:00.000Z", "updatedAt": "[time]"
}}"#;
const LIST: &str = r#"{"data": [
    {"id": "[partner.1]", "name": "One", "owner": null, "status": "active"},
    {"id": "[partner.2]", "name": "Two", "owner": null, "status": "inactive"}
], "pagination": {"nextCursor": "[cursor.1]"}}"#;
const ERROR: &str = r#"{"error": {
    "code": "VALIDATION_FAILED", "message": "Wrong.",
    "details": {"issues": [{"path": "/a", "code": "TOO_LONG"}, {"path": "/b", "code": "ENUM"}]}
}}"#;

/// Each difference as `kind at`, for each of the three modes.
fn found(operation: &str, [old, new]: [&Snapshot; 2]) -> [Vec<String>; 3] {
    let places = Places::of(&DOCUMENT).unwrap();
    let (operation, code) = (operation.to_owned(), new.code().to_owned());
    let members = places.body(&Key { operation, status: new.status(), code });
    [Compare::Form, Compare::Stable, Compare::Values].map(|compare| {
        let all = differences(old, new, members, compare).into_iter();
        all.map(|one| format!("{:?} {}", one.kind, one.at)).collect()
    })
}

fn snapshot(status: &str, body: &str) -> Snapshot {
    Snapshot::parse(&format!("{status}\ncontent-type: application/json\nx-more: [count]\n\n{body}"))
}

/// Changes the body by replacing a text.
fn changed(operation: &str, status: &str, body: &str, [from, to]: [&str; 2]) -> [Vec<String>; 3] {
    assert!(body.contains(from), "{from}");
    let new = body.replacen(from, to, 1);
    found(operation, [&snapshot(status, body), &snapshot(status, &new)])
}

#[test]
fn each_change_of_a_body_is_found_at_its_place_by_the_modes_that_can_see_it() {
    // What `stable` finds, and what `values` finds.
    let (payout, list, error) =
        (("getPayout", PAYOUT), ("listPartners", LIST), ("getPayout", ERROR));
    for ((operation, body), change, stable, values) in [
        (payout, ["12.50", "12.51"], "", "Value /data/amount/value"),
        (list, ["\"One\"", "null"], "Type /data/0/name", "="),
        (payout, ["\"12.50\"", "12.50"], "Type /data/amount/value", "Type /data/amount/value"),
        (payout, ["DRAFT", "PAID"], "Value /data/stage", "Value /data/stage"),
        (payout, [", \"metadata\": {\"a\": 1}", ""], "MemberGone /data/metadata", "="),
        (
            payout,
            ["{\"a\": 1}", "{\"b\": 1}"],
            "",
            "MemberGone /data/metadata/a, MemberAdded /data/metadata/b",
        ),
        (payout, ["\"stage\"", "\"more\": 1, \"stage\""], "MemberAdded /data/more", "="),
        (payout, ["[partner.1]", "[partner.2]"], "Relation /data/partnerId", "="),
        (payout, ["[payout.1]", "7"], "Format /data/id", "="),
        (payout, ["[time]", "now"], "Format /data/updatedAt", "="),
        (payout, ["02T09", "02T10"], "", "Value /data/createdAt"),
        (list, ["\"owner\": null", "\"owner\": {\"id\": \"[user.1]\"}"], "", "Null /data/0/owner"),
        (list, ["One", "Two"], "", "Value /data/0/name"),
        (list, ["\"[cursor.1]\"", "null"], "", "Null /pagination/nextCursor"),
        (error, ["Wrong.", "False."], "Value /error/message", "="),
        (error, ["TOO_LONG", "LONG"], "Value /error/details/issues/0/code", "="),
        (error, ["VALIDATION_FAILED", "INVALID"], "Code /error/code", "="),
        (
            error,
            [", {\"path\": \"/b\", \"code\": \"ENUM\"}", ""],
            "Length /error/details/issues",
            "=",
        ),
    ] {
        let status = if body == ERROR { "422 Unprocessable Entity" } else { "200 OK" };
        let [form, by_stable, by_values] = changed(operation, status, body, change);
        let values = if values == "=" { stable } else { values };
        assert_eq!(
            (by_stable.join(", ").as_str(), by_values.join(", ").as_str()),
            (stable, values),
            "{change:?}"
        );
        let form_sees_it = change[0] == "VALIDATION_FAILED";
        assert_eq!(form.is_empty(), !form_sees_it, "{change:?}: {form:?}");
    }
}

#[test]
fn list_in_another_order_is_one_difference() {
    let (one, other) = LIST.split_once("},").map(|(one, rest)| (format!("{one}}}"), rest)).unwrap();
    let first = one.split_once('[').unwrap().1;
    let (second, end) = other.split_once("\n]").unwrap();
    let swap = |text: &str, from: &str, to: &str| text.replace(from, to);
    let first = swap(first, "[partner.1]", "[partner.2]");
    let second = swap(second, "[partner.2]", "[partner.1]");
    let reversed = format!("{{\"data\": [{second}, {first}\n]{end}");
    let sides = [&snapshot("200 OK", LIST), &snapshot("200 OK", &reversed)];
    let [form, stable, values] = found("listPartners", sides);
    assert!(form.is_empty());
    assert_eq!(
        (stable.join(", ").as_str(), values.join(", ").as_str()),
        ("Order /data", "Order /data")
    );
}

#[test]
fn headers_are_compared_by_name_and_value() {
    let old = snapshot("200 OK", PAYOUT);
    let edited = |edit: &dyn Fn(&str) -> String| {
        let new = Snapshot::parse(&edit(&old.to_string()));
        let [form, stable, _] = found("getPayout", [&old, &new]);
        assert_eq!(form.is_empty(), stable[0] == "HeaderValue x-more", "{stable:?}");
        stable.join(", ")
    };
    assert_eq!(
        edited(&|text| text.replace("application/json", "text/json")),
        "HeaderValue content-type"
    );
    assert_eq!(edited(&|text| text.replace("x-more: [count]\n", "")), "HeaderGone x-more");
    assert_eq!(
        edited(&|text| text.replace("x-more: [count]", "x-more: many")),
        "HeaderValue x-more"
    );
    let with = |text: &str| text.replace("x-more", "cache-control: no-store\nx-more");
    assert_eq!(edited(&with), "HeaderAdded cache-control");
}

#[test]
fn another_status_is_one_difference_and_hides_the_rest() {
    let old = snapshot("404 Not Found", ERROR);
    let new =
        snapshot("410 Gone", &ERROR.replace("VALIDATION_FAILED", "GONE").replace("Wrong", "W"));
    for found in found("getPayout", [&old, &new]) {
        assert_eq!(found, ["Status ", "Code /error/code"]);
    }
}

#[test]
fn what_varies_or_is_random_equals_anything() {
    let masked =
        |text: &str| text.replace("\"12.50\"", "\"[varies]\"").replace("\"\"", "\"[random]\"");
    let new = PAYOUT.replace("\"12.50\"", "null").replace("\"\"", "\"text\"");
    let sides = [&snapshot("200 OK", &masked(PAYOUT)), &snapshot("200 OK", &new)];
    assert!(found("getPayout", sides).iter().all(Vec::is_empty));
    let gone = PAYOUT.replace("\"stage\": \"DRAFT\",", "");
    let masked = PAYOUT.replace("\"DRAFT\"", "\"[varies]\"");
    let sides = [&snapshot("200 OK", &masked), &snapshot("200 OK", &gone)];
    assert!(found("getPayout", sides).iter().all(Vec::is_empty));
}
