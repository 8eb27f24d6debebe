//! The items of lists (§2.1, §2.2, V5). Types and required fields are invariants of every page.

use crate::cases::prelude::*;
use crate::{
    cases::{dataset::difference, partners::is_same_partner},
    isolation::is_marked,
};

/// No listed line has an idempotencyKey, not even null.
#[case("§2.2.idempotencyKey", on = listCommissionLines)]
async fn without_idempotency_key(context: &mut CaseContext<'_>) -> CaseResult {
    let lines = known(context, LINES).await?;
    let holds = lines.items.iter().all(|line| line.get("idempotencyKey").is_none());
    lines.that(holds, "A listed line has an idempotencyKey.", "no such field", "the field")
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
    match lines.items.iter().find(|line| !fits(line)) {
        None => Ok(()),
        Some(line) => Err(lines.failed(what, expected, line.to_string())),
    }
}

/// Requires that everything of the data set is listed with its values.
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

/// The fields that a PATCH may change.
const CHANGEABLE: [&str; 6] =
    ["name", "domain", "tierId", "phaseId", "experienceTemplateId", "owner"];

/// Each partner of the data set is listed with its values.
#[case("§2.1", on = listPartners, features(Seeded))]
async fn partners_as_seeded(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    let mut expected = dataset::partners();
    // The one that cases change, and the one that bears the marker of the run.
    let changed = context.fixture(Fixture::Partner).unwrap_or_default();
    let marked = partners.items.iter().find(|item| is_marked(item));
    let marked = marked.map_or(Value::Null, |item| item["id"].clone());
    for partner in &mut expected {
        let is_changed = partner["id"] == changed || partner["id"] == marked;
        if let Some(fields) = partner.as_object_mut().filter(|_| is_changed) {
            fields.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
    }
    all_there(&partners, &expected)
}

/// A listed partner equals the partner read alone.
#[case("§4.1", on = listPartners, requests = 12)]
async fn partners_as_single(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    // The ones with the longest text have the most to compare.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.to_string().len()));
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
