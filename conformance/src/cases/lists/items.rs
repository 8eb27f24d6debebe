//! What an item of a list shows (§2.1, §2.2, V5). Types and required fields are invariants of every
//! page.

use chrono::DateTime;

use crate::cases::prelude::*;
use crate::cases::{dataset::difference, partners::is_same_partner};

/// That something holds of each item.
fn each(walk: &Walk, holds: impl Fn(&Value) -> bool, what: &str, expected: &str) -> CaseResult {
    match walk.items.iter().find(|item| !holds(item)) {
        None => Ok(()),
        Some(item) => Err(walk.failed(what, expected, item.to_string())),
    }
}

/// Each listed line has all fields of a line, each of its type.
#[case("§2.2", on = listCommissionLines)]
async fn line_fields(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    let at = |line: &Value, name: &str| {
        line[name].as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok())
    };
    each(
        &lines,
        |line| at(line, "updatedAt") >= at(line, "createdAt"),
        "A line was updated before it was created.",
        "updatedAt not before createdAt",
    )
}

/// No listed line has an idempotencyKey, not even null.
#[case("§2.2.idempotencyKey", on = listCommissionLines)]
async fn without_idempotency_key(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    each(
        &lines,
        |line| line.get("idempotencyKey").is_none(),
        "A listed line has an idempotencyKey.",
        "no field idempotencyKey",
    )
}

/// A listed line in a payout has its payoutId, and a pending one has payoutId null.
#[case("§2.2.payoutId", on = listCommissionLines)]
async fn payout_id(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    let what = "The payoutId of a line does not fit its status.";
    let expected = "a string where status is IN_PAYOUT, else null, and always present";
    let fits = |line: &Value| match (line["status"].as_str(), line.get("payoutId")) {
        (Some("IN_PAYOUT"), Some(Value::String(id))) => !id.is_empty(),
        (Some("IN_PAYOUT"), _) | (_, None) => false,
        (_, Some(Value::Null)) => true,
        (Some("PENDING"), _) => false,
        // That expected and voided lines are in no payout is a decision.
        (_, Some(id)) => id.is_string() && !context.judges("V4"),
    };
    each(&lines, fits, what, expected)
}

/// That everything of the data set is listed with its values.
fn all_there(walk: &Walk, expected: &[Value]) -> CaseResult {
    for expected in expected {
        let Some(item) = walk.find(expected["id"].as_str().unwrap_or_default()) else {
            let what = "Something of the data set is not listed.";
            return Err(walk.failed(what, expected.to_string(), "nothing"));
        };
        if let Some((expected, shown)) = difference(expected, item) {
            let what = "Something of the data set is listed with another value.";
            return Err(walk.failed(what, expected, shown));
        }
    }
    Ok(())
}

/// Each line of the data set is listed with its values.
#[case("§2.2", on = listCommissionLines, features(Seeded))]
async fn lines_as_seeded(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    all_there(&lines, &dataset::lines())
}

/// The data set's largest amount, a claw-back, and zero.
const EXACT: [(&str, &str, &str); 3] = [
    ("cln_01JV3N8Q5R000000000000001D", "90071992547409.93", "900719925474099.30"),
    ("cln_01JV3N8Q5R000000000000001C", "-75.25", "-752.50"),
    ("cln_01JV3N8Q5R000000000000003J", "0.00", "0.00"),
];

/// An amount beyond 53 bits keeps its cents, and a claw-back its sign.
#[case("§2.2.amount", on = listCommissionLines, features(Seeded))]
async fn exact_amounts(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    let exact = EXACT
        .map(|(id, amount, source)| json!({ "id": id, "amount": amount, "sourceAmount": source }));
    all_there(&lines, &exact)
}

/// What a PATCH may change.
const CHANGEABLE: [&str; 6] =
    ["name", "domain", "tierId", "phaseId", "experienceTemplateId", "owner"];

/// Each partner of the data set is listed with its values.
#[case("§2.1", on = listPartners, retry, features(Seeded))]
async fn partners_as_seeded(context: &mut CaseContext<'_>) -> CaseResult {
    let locked = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    let mut expected = dataset::partners();
    let names = partners
        .items
        .iter()
        .filter_map(|partner| Some((&partner["id"], partner["name"].as_str()?)));
    let marked = names.filter(|(_, name)| has_marker(name));
    let marked: Vec<&Value> = marked.map(|(id, _)| id).collect();
    for partner in &mut expected {
        // Another case or run may be changing this one.
        if (partner["id"] == locked || marked.contains(&&partner["id"]))
            && let Some(fields) = partner.as_object_mut()
        {
            fields.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
    }
    all_there(&partners, &expected)
}

/// A listed partner equals the partner read alone.
#[case("§4.1", on = listPartners, retry, requests = 12)]
async fn partners_as_single(context: &mut CaseContext<'_>) -> CaseResult {
    let locked = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    // The ones with the longest text have the most to compare.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| (item["id"] == locked, std::cmp::Reverse(item.to_string().len())));
    let key = context.all()?;
    for item in items.into_iter().take(5) {
        let id = item["id"].as_str().unwrap_or_default();
        let request = Request::get(partner_path(id)).with(&key);
        let single = context.ok(request).await?;
        single.that(
            is_same_partner(context, item, single.at("/data")),
            "A listed partner and the partner read alone differ.",
            &item.to_string(),
            &single.at("/data").to_string(),
        )?;
    }
    Ok(())
}
