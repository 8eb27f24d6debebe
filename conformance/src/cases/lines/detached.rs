//! Detaches that succeed: the response, the lists after it, and the payout's amount.

use super::{detaching, detaching_with_key, is_listed_as, text};
use crate::cases::prelude::*;

/// Fields of a line that a detach changes, and the one that lists do not show.
const CHANGED: [&str; 4] = ["status", "payoutId", "updatedAt", "idempotencyKey"];
/// Fields in which one line differs from another of its payout.
const RANDOM: [&str; 5] = [
    "/data/amount",
    "/data/sourceAmount",
    "/data/description",
    "/data/idempotencyKey",
    "/data/createdAt",
];
/// The most seconds between `updatedAt` of a change and the deployment's clock.
const JUST_NOW_SECONDS: i64 = 300;

/// A line that may be detached and is in its payout now.
pub(super) async fn attached(context: &mut CaseContext<'_>) -> CaseResult<Value> {
    attached_preferring(context, |_| true).await
}

/// Returns an attached line, a preferred one where there is one.
async fn attached_preferring(
    context: &mut CaseContext<'_>,
    is_preferred: Preferred,
) -> CaseResult<Value> {
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    let lines = lines_of_payout(context, &payout).await?;
    lines.require_whole()?;
    let mut others = Vec::new();
    let found = loop {
        let id = match context.take_line() {
            Ok(id) => id,
            Err(none_is_left) => break others.pop().ok_or(none_is_left)?,
        };
        match lines.find(&id) {
            Some(line) if is_preferred(line) => break line.clone(),
            Some(line) => others.push(line.clone()),
            None => {}
        }
    };
    let others = others.iter().map(|line| text(line, "id").to_owned());
    context.give_back_lines(others);
    Ok(found)
}

type Preferred = fn(&Value) -> bool;

pub(super) async fn is_attached(context: &mut CaseContext<'_>, line: &Value) -> CaseResult<bool> {
    let filters = [("payoutId", text(line, "payoutId"))];
    let found = find_line(context, &filters, text(line, "id")).await?;
    Ok(found.0.is_some())
}

/// Reports lines that are not in their payout any more, whatever the responses to their detaches
/// say.
pub(super) async fn note_detached(context: &mut CaseContext<'_>, lines: &[Value]) {
    for line in lines {
        let id = text(line, "id");
        match is_attached(context, line).await {
            Ok(true) => {}
            Ok(false) => context.remains(format!("the line {id} is no longer in its payout")),
            Err(_) => context.remains(format!("the line {id} may no longer be in its payout")),
        }
    }
}

/// Detaches a line, and returns it as it was, with the response.
/// Failed: the detach is rejected. Skipped: no line is left.
pub(crate) async fn detach_one(context: &mut CaseContext<'_>) -> CaseResult<(Value, Response)> {
    detach_preferring(context, |_| true).await
}

async fn detach_preferring(
    context: &mut CaseContext<'_>,
    is_preferred: Preferred,
) -> CaseResult<(Value, Response)> {
    let line = attached_preferring(context, is_preferred).await?;
    let id = text(&line, "id");
    let response = context.send(detaching_with_key(context, id)?).await?;
    response.is(200)?.that(
        response.text("/data/idempotencyKey") != id,
        "The line has the idempotencyKey of the request.",
        "the key that the line was created with, if any",
        id,
    )?;
    if context.deployment().features.contains(&Feature::Seeded) {
        // Some lines have null.
        let key = dataset::idempotency_key(text(&line, "description"));
        response.has("/data/idempotencyKey", key)?;
    }
    Ok((line, response))
}

fn is_moved(response: &Response, before: &Value) -> CaseResult {
    let after = instant(response, "/data/updatedAt")?;
    let earlier = text(before, "updatedAt").parse::<chrono::DateTime<chrono::Utc>>();
    let away = (after - response.responded_at()).num_seconds().abs();
    response.that(
        earlier.is_ok_and(|earlier| after > earlier) && away <= JUST_NOW_SECONDS,
        "updatedAt is not the time of this change.",
        &format!("now, and later than {}", before["updatedAt"]),
        response.text("/data/updatedAt"),
    )
}

/// A detached line is PENDING and in no payout; its other fields are unchanged.
#[case("§4.5", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 12)]
async fn detach(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = format!("/api/v1/payouts/{}", context.fixture(Fixture::PayoutToDetach)?);
    let payout = Request::get(payout).with(&context.all()?);
    let stage = context.given(payout.clone()).await?.at("/data/stage").clone();
    let (before, response) = detach_one(context).await?;
    // Checked here: where a detach moves the stage, the first one does.
    if context.judges("R11") {
        context.send(payout).await?.is(200)?.has("/data/stage", stage)?;
    }
    response.has("/data/status", "PENDING")?.has("/data/payoutId", Value::Null)?;
    let data = response.at("/data").as_object().cloned().unwrap_or_default();
    for name in ["payoutId", "idempotencyKey"] {
        response.must(
            data.contains_key(name),
            &format!("The response lacks {name}."),
            "the field, null where there is no value",
        )?;
    }
    for (name, value) in before.as_object().into_iter().flatten() {
        if !CHANGED.contains(&name.as_str()) {
            response.has(&format!("/data/{name}"), value.clone())?;
        }
    }
    // Which line of the fixture is left differs from run to run.
    context.snapshot_of_random(&response, &RANDOM);
    is_moved(&response, &before)
}

/// A detach that is rejected for its scope leaves the line in its payout.
#[case("§5.5", on = detachCommissionLine, keys(All, CommissionsRead),
       fixtures(LinesToDetach, PayoutToDetach), changes = Irreversible, requests = 40)]
async fn without_scope(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.key(Role::CommissionsRead)?;
    let line = attached(context).await?;
    let id = text(&line, "id");
    let request = detaching(context, id)?.with(&key);
    let response = context.expect(request, INSUFFICIENT_SCOPE).await?;
    if is_attached(context, &line).await? {
        context.give_back_lines([id.to_owned()].into_iter());
        return Ok(());
    }
    context.remains(format!("the line {id} is no longer in its payout"));
    response.that(
        false,
        "A detach returned 403 and detached the line all the same.",
        &format!("{id} among the lines of its payout"),
        "it is no longer there",
    )
}

/// After a detach lists show the line in the pending pool, and no longer in its payout.
#[case("§3.1.detach", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 40)]
async fn stored(context: &mut CaseContext<'_>) -> CaseResult {
    let (before, response) = detach_one(context).await?;
    let (id, partner) = (text(&before, "id"), text(&before, "partnerId"));
    let mut expected = response.at("/data").clone();
    if let Some(fields) = expected.as_object_mut() {
        fields.remove("idempotencyKey");
    }
    let partners = ("partnerId", partner);
    for filters in [&[partners][..], &[partners, ("status", "PENDING")]] {
        let what = "A list does not show the line as the detach returned it.";
        is_listed_as(context, filters, id, Some(&expected), what).await?;
    }
    let former = [("payoutId", text(&before, "payoutId")), ("status", "PENDING")];
    for filters in [&former[..1], &former, &[("status", "IN_PAYOUT")]] {
        let what = "A list of what is in a payout shows the detached line.";
        is_listed_as(context, &[filters, &[partners]].concat(), id, None, what).await?;
    }
    Ok(())
}

/// Requires that detaches of our lines lowered a payout's amount by exactly these, and changed
/// nothing else.
pub(super) fn compare(before: &Account, after: &Account, ours: &[Value]) -> CaseResult {
    let is_gone = |line: &&Value| after.line(&line["id"]).is_none();
    let gone: Vec<&Value> = before.lines.iter().filter(is_gone).collect();
    let is_gone = |line: &Value| gone.iter().any(|other| other["id"] == line["id"]);
    after.payout.that(
        ours.iter().all(is_gone) && gone.len() == ours.len(),
        "Other lines left the payout than were detached.",
        &format!("{:?}", ours.iter().map(|line| text(line, "id")).collect::<Vec<_>>()),
        &format!("{:?}", gone.iter().map(|line| text(line, "id")).collect::<Vec<_>>()),
    )?;
    for stayed in &after.lines {
        after.payout.that(
            before.line(&stayed["id"]) == Some(stayed),
            "A detach changed another line of the payout.",
            &before.line(&stayed["id"]).map_or_else(String::new, Value::to_string),
            &stayed.to_string(),
        )?;
    }
    let expected = before.amount - account::sum(&before.payout, gone.into_iter())?;
    let what = "The payout's amount did not fall by exactly the amounts of the lines that left.";
    after.payout.same(what, &expected, &after.amount)?;
    after.adds_up()?;
    let data = before
        .payout
        .at("/data")
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !["amount", "updatedAt"].contains(&name.as_str()));
    for (name, value) in data {
        after.payout.has(&format!("/data/{name}"), value.clone())?;
    }
    is_moved(&after.payout, before.payout.at("/data"))
}

/// A detach lowers the payout's amount by exactly the line's, and changes nothing else of it.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 40)]
async fn amount(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    let request = payout(context, &id)?;
    let by_other_key = context.key(Role::CommissionsRead).ok().map(|key| request.with(&key));
    let before = Account::of(context, &id).await?;
    before.adds_up()?;
    if let Some(request) = &by_other_key {
        // A response that is cached for this key must not be returned after the detach.
        context.given(request.clone()).await?;
    }
    // Detaching a claw-back makes the payout larger.
    let (line, _) =
        detach_preferring(context, |line| text(line, "amount").starts_with('-')).await?;
    let after = Account::of(context, &id).await?;
    compare(&before, &after, &[line])?;
    let Some(request) = by_other_key else {
        return Ok(());
    };
    let read = context.send(request).await?;
    read.is(200)?.that(
        read.at("/data/amount") == after.payout.at("/data/amount"),
        "Another key of the organisation reads another amount of the payout.",
        &after.payout.at("/data/amount").to_string(),
        &read.at("/data/amount").to_string(),
    )
}
