//! What an item of a list shows (§2.1, §2.2, V5).
//!
//! They refuse to look at one item alone: a field may be missing of those that few have.

use serde_json::Value;

use super::walk::{LINES, PARTNERS, Walk, known};
use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    cases::{
        money::lease::is_marked,
        seeded::{self, difference},
        steady::steady,
    },
    exchange::Request,
    target::{Feature, Fixture},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "lists.lines-fields",
        "Each listed line has all fields of a line, each of its type.",
        "§2.2",
        runs!(line_fields),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-without-idempotency-key",
        "No listed line has an idempotencyKey, not even null.",
        "§2.2.idempotencyKey",
        runs!(without_idempotency_key),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-payout-id",
        "A listed line in a payout names it, and one that is pending has payoutId null, never left out.",
        "§2.2.payoutId",
        runs!(payout_id),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-as-seeded",
        "Each line of the data set is listed with the values it was given.",
        "§2.2",
        runs!(lines_as_seeded),
    )
    .on("listCommissionLines")
    .features(&[Feature::Seeded]),
    Case::new(
        "lists.partners-as-seeded",
        "Each partner of the data set is listed with the values it was given.",
        "§2.1",
        steady!(partners_as_seeded),
    )
    .on("listPartners")
    .features(&[Feature::Seeded]),
    Case::new(
        "lists.partners-as-single",
        "A listed partner is what reading it alone shows.",
        "§4.1",
        steady!(as_single),
    )
    .on("listPartners")
    .requests(12),
];

/// Fields of a line that are strings and never null.
const TEXTS: [&str; 11] = [
    "id",
    "partnerId",
    "description",
    "amount",
    "sourceAmount",
    "currency",
    "status",
    "planName",
    "periodEnd",
    "createdAt",
    "updatedAt",
];

/// Something holds of each item.
fn each(
    walk: &Walk,
    holds: impl Fn(&Value) -> bool,
    what: &str,
    expected: &str,
) -> Result<(), CaseOutcome> {
    match walk.items.iter().find(|item| !holds(item)) {
        None => Ok(()),
        Some(item) => Err(walk.failed(what, expected, item.to_string())),
    }
}

async fn line_fields(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let lines = known(context, LINES).await?;
    for name in TEXTS {
        each(
            &lines,
            |line| line[name].is_string(),
            &format!("A line has no {name} that is a string."),
            "all of them strings",
        )?;
    }
    for name in ["periodEnd", "createdAt", "updatedAt"] {
        let is_time = |text: &str| chrono::DateTime::parse_from_rfc3339(text).is_ok();
        each(
            &lines,
            |line| line[name].as_str().is_some_and(is_time),
            &format!("{name} of a line is no ISO 8601 date-time."),
            "an ISO 8601 date-time",
        )?;
    }
    each(
        &lines,
        |line| line["updatedAt"].as_str() >= line["createdAt"].as_str(),
        "A line was updated before it was created.",
        "updatedAt not before createdAt",
    )
}

async fn without_idempotency_key(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let lines = known(context, LINES).await?;
    each(
        &lines,
        |line| line.get("idempotencyKey").is_none(),
        "A listed line has an idempotencyKey.",
        "no field idempotencyKey",
    )
}

async fn payout_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let lines = known(context, LINES).await?;
    each(
        &lines,
        |line| {
            line.get("payoutId")
                .is_some_and(|id| id.is_null() || id.is_string())
        },
        "A line has no payoutId.",
        "a string or null, always there",
    )?;
    each(
        &lines,
        |line| line["status"] != "IN_PAYOUT" || line["payoutId"].as_str() > Some(""),
        "A line is in a payout, and names none.",
        "a payoutId where status is IN_PAYOUT",
    )?;
    each(
        &lines,
        |line| line["status"] != "PENDING" || line["payoutId"].is_null(),
        "A line of the pending pool names a payout.",
        "payoutId null where status is PENDING",
    )?;
    // That what was never in a payout, or no longer counts, is in none: only where this project's states are judged by.
    each(
        &lines,
        |line| {
            !context.with_decisions() || line["status"] == "IN_PAYOUT" || line["payoutId"].is_null()
        },
        "A line names a payout that it is not in.",
        "payoutId null where status is not IN_PAYOUT",
    )
}

/// Everything that the data set holds is there as it was given.
fn all_there(walk: &Walk, expected: &[Value]) -> Result<(), CaseOutcome> {
    for expected in expected {
        let item = walk.items.iter().find(|item| item["id"] == expected["id"]);
        let Some(item) = item else {
            return Err(walk.failed(
                "Something of the data set is not listed.",
                expected.to_string(),
                "it is not there",
            ));
        };
        if let Some((expected, shown)) = difference(expected, item) {
            return Err(walk.failed(
                "Something of the data set is listed with another value.",
                expected,
                shown,
            ));
        }
    }
    Ok(())
}

async fn lines_as_seeded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let lines = known(context, LINES).await?;
    all_there(&lines, &seeded::lines())
}

/// What a PATCH may change.
const CHANGEABLE: [&str; 6] = [
    "name",
    "domain",
    "tierId",
    "phaseId",
    "experienceTemplateId",
    "owner",
];

async fn partners_as_seeded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let borrowed = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    let mut expected = seeded::partners();
    let names = partners
        .items
        .iter()
        .filter_map(|partner| Some((&partner["id"], partner["name"].as_str()?)));
    let marked = names.filter(|(_, name)| is_marked(name));
    let marked: Vec<&Value> = marked.map(|(id, _)| id).collect();
    for partner in &mut expected {
        // Another case or run may be changing this one, and give it back.
        if (partner["id"] == borrowed || marked.contains(&&partner["id"]))
            && let Some(fields) = partner.as_object_mut()
        {
            fields.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
    }
    all_there(&partners, &expected)
}

async fn as_single(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let borrowed = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    // Those with the most to compare: their text is the longest.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| {
        (
            item["id"] == borrowed,
            std::cmp::Reverse(item.to_string().len()),
        )
    });
    let key = context.all()?;
    for item in items.into_iter().take(5) {
        let id = item["id"].as_str().unwrap_or_default();
        let path = format!(
            "{}/{}",
            PARTNERS.path,
            crate::exchange::request::escaped(id)
        );
        let single = context.send(Request::get(path).with(&key)).await?;
        single.is(200)?.has("/data", item.clone())?;
    }
    Ok(())
}
