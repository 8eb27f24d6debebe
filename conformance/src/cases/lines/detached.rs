//! Detaches that succeed: the response, what lists show after it, the payout's amount, and who comes second.
//!
//! It refuses to blame a deployment for another run: of a line that somebody else was faster with, nothing is said.

use serde_json::Value;

use super::{detaching, text};
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::money::{
        account::{self, Account},
        at_once,
        dataset::Dataset,
        instant, payout, told_at, walk,
    },
    exchange::{Request, Response},
    target::{Feature, Fixture, Role},
};

/// Lines that other runs may detach from one payout while one is detached here.
pub(super) const RIVALS: usize = 2;
/// Requests at once.
const MANY: usize = 8;
/// Fields of a line that a detach changes, and the one that lists leave out.
const CHANGED: [&str; 4] = ["status", "payoutId", "updatedAt", "idempotencyKey"];
/// Fields in which one line differs from another of its payout.
const DRAWN: [&str; 5] = [
    "/data/amount",
    "/data/sourceAmount",
    "/data/description",
    "/data/idempotencyKey",
    "/data/createdAt",
];
/// How far `updatedAt` of what was changed just now may be from the deployment's clock.
const JUST_NOW_SECONDS: i64 = 300;

/// A line that may be spent and is in its payout now; spent ones are passed over.
pub(super) async fn attached(context: &mut CaseContext<'_>) -> Result<Value, CaseOutcome> {
    attached_such(context, |_| true).await
}

/// The same, and one that is wanted, where there is such a one.
async fn attached_such(
    context: &mut CaseContext<'_>,
    is_wanted: Wanted,
) -> Result<Value, CaseOutcome> {
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    let lines = walk::lines(context, &[("payoutId", &payout)]).await?;
    let mut others = Vec::new();
    let found = loop {
        let id = match context.take_line() {
            Ok(id) => id,
            Err(none_is_left) => break others.pop().ok_or(none_is_left)?,
        };
        match lines.iter().find(|line| line["id"] == id.as_str()) {
            Some(line) if is_wanted(line) => break line.clone(),
            Some(line) => others.push(line.clone()),
            None => {}
        }
    };
    let others = others.iter().map(|line| text(line, "id").to_owned());
    context.give_back_lines(others);
    Ok(found)
}

/// Whether a line is one that the case would rather have.
type Wanted = fn(&Value) -> bool;

fn is_negative(line: &Value) -> bool {
    text(line, "amount").starts_with('-')
}

/// Whether a line is in its payout still.
pub(super) async fn is_attached(
    context: &mut CaseContext<'_>,
    line: &Value,
) -> Result<bool, CaseOutcome> {
    let filters = [("payoutId", text(line, "payoutId"))];
    let found = walk::find(context, &filters, text(line, "id")).await?;
    Ok(found.0.is_some())
}

pub(super) fn spend(context: &mut CaseContext<'_>, line: &Value) {
    let (id, payout) = (text(line, "id"), text(line, "payoutId"));
    context.remains(format!("the line {id} is no longer in the payout {payout}"));
}

/// Detaches a line; where another run was faster, another line.
///
/// # Errors
/// It is refused, or none is left.
pub(in crate::cases) async fn detach_one(
    context: &mut CaseContext<'_>,
) -> Result<(Value, Response), CaseOutcome> {
    detach_such(context, |_| true).await
}

async fn detach_such(
    context: &mut CaseContext<'_>,
    is_wanted: Wanted,
) -> Result<(Value, Response), CaseOutcome> {
    let mut last = None;
    for _ in 0..=RIVALS {
        let line = attached_such(context, is_wanted).await?;
        let id = text(&line, "id");
        let response = context.send(detaching_with_key(context, id)?).await?;
        if response.status == 422 && !is_attached(context, &line).await? {
            last = Some(response);
            continue;
        }
        if response.is_success() {
            spend(context, &line);
        }
        response.is(200)?.that(
            response.text("/data/idempotencyKey") != id,
            "The line took the idempotencyKey of the request.",
            "the key that the line was created with, if any",
            id,
        )?;
        if context.deployment().features.contains(&Feature::Seeded) {
            // Of some lines it is null.
            let key = Dataset::read().idempotency_key(text(&line, "description"));
            response.has("/data/idempotencyKey", key)?;
        }
        return Ok((line, response));
    }
    Err(CaseOutcome::failed(
        "Attached lines are detached, and their detach is answered 422 all the same.",
        "200",
        last.as_ref().map_or_else(String::new, Response::shown),
        last.map(|response| response.exchange),
    ))
}

/// That a change has moved `updatedAt`, to now.
fn is_moved(response: &Response, before: &Value) -> Result<(), CaseOutcome> {
    let after = instant(response, "/data/updatedAt")?;
    let earlier = text(before, "updatedAt").parse::<chrono::DateTime<chrono::Utc>>();
    let away = (after - told_at(response)).num_seconds().abs();
    response.that(
        earlier.is_ok_and(|earlier| after > earlier) && away <= JUST_NOW_SECONDS,
        "updatedAt is not the time of this change.",
        &format!("now, and later than {}", before["updatedAt"]),
        response.text("/data/updatedAt"),
    )?;
    Ok(())
}

pub(super) async fn detach(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let payout = format!(
        "/api/v1/payouts/{}",
        context.fixture(Fixture::PayoutToDetach)?
    );
    let payout = Request::get(payout).with(&context.all()?);
    let stage = context
        .given(payout.clone())
        .await?
        .at("/data/stage")
        .clone();
    let (before, response) = detach_one(context).await?;
    // Here and not in a later case: where a detach moves the stage, the first one does.
    context
        .send(payout)
        .await?
        .is(200)?
        .has("/data/stage", stage)?;
    response
        .has("/data/status", "PENDING")?
        .has("/data/payoutId", Value::Null)?;
    let data = response
        .at("/data")
        .as_object()
        .cloned()
        .unwrap_or_default();
    for name in ["payoutId", "idempotencyKey"] {
        response.that(
            data.contains_key(name),
            &format!("The response lacks {name}."),
            "the field, null where there is nothing to say",
            &response.shown(),
        )?;
    }
    for (name, value) in before.as_object().into_iter().flatten() {
        if !CHANGED.contains(&name.as_str()) {
            response.has(&format!("/data/{name}"), value.clone())?;
        }
    }
    response.that(
        before.get("idempotencyKey").is_none(),
        "An item of the list holds an idempotencyKey.",
        "none: it is absent from list items",
        &before.to_string(),
    )?;
    // Which line is detached is drawn: no two runs side by side shall want the same.
    context.snapshot_of_drawn(&response, &DRAWN);
    is_moved(&response, &before)
}

pub(super) async fn without_scope(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::CommissionsRead)?;
    let mut last = None;
    // Another run may take the line meanwhile; but not each of several.
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let request = detaching(context, text(&line, "id"))?.with(&key);
        let response = context.send(request).await?;
        context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
        if is_attached(context, &line).await? {
            return Ok(());
        }
        spend(context, &line);
        last = Some((line, response.exchange));
    }
    let (id, exchange) = last.map_or_else(Default::default, |(line, exchange)| {
        (text(&line, "id").to_owned(), Some(exchange))
    });
    Err(CaseOutcome::failed(
        "A detach was answered 403, and the line was detached all the same.",
        format!("{id} among the lines of its payout"),
        "it is not there any more",
        exchange,
    ))
}

pub(super) async fn stored(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let (before, response) = detach_one(context).await?;
    let (id, partner) = (text(&before, "id"), text(&before, "partnerId"));
    let mut told = response.at("/data").clone();
    if let Some(told) = told.as_object_mut() {
        told.remove("idempotencyKey");
    }
    let partners = ("partnerId", partner);
    for filters in [&[partners][..], &[partners, ("status", "PENDING")]] {
        let (found, page) = walk::find(context, filters, id).await?;
        page.that(
            found.as_ref() == Some(&told),
            "A list does not show the line as the detach answered it.",
            &told.to_string(),
            &found.map_or_else(|| format!("no line {id}"), |line| line.to_string()),
        )?;
    }
    let payout = text(&before, "payoutId");
    let former = [("payoutId", payout), ("status", "PENDING")];
    for filters in [&former[..1], &former, &[("status", "IN_PAYOUT")]] {
        let filters = [filters, &[partners]].concat();
        let (found, page) = walk::find(context, &filters, id).await?;
        page.that(
            found.is_none(),
            "A list of what is in a payout shows the detached line.",
            &format!("no line {id}"),
            &found.map_or_else(String::new, |line| line.to_string()),
        )?;
    }
    Ok(())
}

/// What detaches did to a payout: its amount fell by the lines that left, ours among them, and all else stayed.
pub(super) fn compare(
    before: &Account,
    after: &Account,
    ours: &[Value],
) -> Result<(), CaseOutcome> {
    let is_gone = |line: &&Value| after.line(&line["id"]).is_none();
    let gone: Vec<&Value> = before.lines.iter().filter(is_gone).collect();
    let is_gone = |line: &Value| gone.iter().any(|other| other["id"] == line["id"]);
    after.payout.that(
        ours.iter().all(is_gone) && gone.len() <= ours.len() + RIVALS,
        "Other lines left the payout than were detached.",
        &format!(
            "{:?}",
            ours.iter().map(|line| text(line, "id")).collect::<Vec<_>>()
        ),
        &format!(
            "{:?}",
            gone.iter().map(|line| text(line, "id")).collect::<Vec<_>>()
        ),
    )?;
    for stayed in &after.lines {
        after.payout.that(
            before.line(&stayed["id"]) == Some(stayed),
            "A detach changed another line of the payout.",
            &before
                .line(&stayed["id"])
                .map_or_else(String::new, Value::to_string),
            &stayed.to_string(),
        )?;
    }
    let expected = before.amount - account::sum(&before.payout, gone.into_iter())?;
    after.payout.that(
        after.amount == expected,
        "The payout's amount did not fall by exactly the amounts of the lines that left.",
        &format!("{expected}, of {} before", before.amount),
        &after.amount.to_string(),
    )?;
    after.adds_up()?;
    let data = before
        .payout
        .at("/data")
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !["amount", "updatedAt", "partner"].contains(&name.as_str()));
    for (name, value) in data {
        after.payout.has(&format!("/data/{name}"), value.clone())?;
    }
    // The partner's name is its own, and another run may have borrowed it.
    let partner = before.payout.at("/data/partner/id").clone();
    after.payout.has("/data/partner/id", partner)?;
    is_moved(&after.payout, before.payout.at("/data"))
}

pub(super) async fn amount(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    let by_other_key = context.key(Role::CommissionsRead).ok();
    let request = payout(context, &id)?;
    let by_other_key = by_other_key.map(|key| request.with(&key));
    let before = Account::of(context, &id).await?;
    before.adds_up()?;
    if let Some(request) = &by_other_key {
        // An response that somebody keeps for this key is not told after the detach.
        context.given(request.clone()).await?;
    }
    // A claw-back that leaves makes the payout larger.
    let (line, _) = detach_such(context, is_negative).await?;
    let after = Account::of(context, &id).await?;
    compare(&before, &after, &[line])?;
    let Some(request) = by_other_key else {
        return Ok(());
    };
    let told = context.send(request).await?;
    let again = Account::of(context, &id).await?;
    // Other runs may have detached meanwhile.
    let is_still = again.payout.json == after.payout.json;
    told.is(200)?.that(
        told.at("/data/amount") == after.payout.at("/data/amount") || !is_still,
        "Another key of the organisation reads another amount of the payout.",
        &after.payout.at("/data/amount").to_string(),
        &told.at("/data/amount").to_string(),
    )?;
    Ok(())
}

/// A detach with a header that elsewhere has a first response told again. This API knows none such: a line is detached once.
fn detaching_with_key(context: &CaseContext<'_>, line: &str) -> Result<Request, CaseOutcome> {
    Ok(detaching(context, line)?.header("idempotency-key", line))
}

/// Several detaches of one line at once: one 200, the others 422. Where another run was faster, another line.
async fn race(context: &mut CaseContext<'_>, count: usize) -> Result<Value, CaseOutcome> {
    context.forgo_snapshots();
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let request = detaching_with_key(context, text(&line, "id"))?;
        let responses = at_once(context, vec![request; count]).await?;
        let won = responses
            .iter()
            .filter(|response| response.is_success())
            .count();
        if won > 0 {
            spend(context, &line);
        }
        for response in responses.iter().filter(|response| !response.is_success()) {
            context.is_error(response, 422, "LINE_NOT_IN_PAYOUT")?;
        }
        // Nobody here won: another run did, or the deployment detaches and says that it does not.
        if won == 0 && !is_attached(context, &line).await? {
            continue;
        }
        responses[0].that(
            won == 1,
            &format!("Of {count} detaches of one line at once, {won} succeeded."),
            "one",
            &responses
                .iter()
                .map(Response::status_line)
                .collect::<Vec<_>>()
                .join(", "),
        )?;
        return Ok(line);
    }
    Err(CaseOutcome::failed(
        "Attached lines are detached, and every one of their detaches is answered 422.",
        "one 200",
        "none",
        None,
    ))
}

pub(super) async fn once(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let line = race(context, 2).await?;
    let id = text(&line, "id");
    let partner = ("partnerId", text(&line, "partnerId"));
    let (before, page) = walk::find(context, &[partner], id).await?;
    let Some(before) = before else {
        return Err(CaseOutcome::failed(
            "The list lost the detached line.",
            id,
            "no such line",
            Some(page.exchange),
        ));
    };
    let response = context.send(detaching_with_key(context, id)?).await?;
    context.is_error(&response, 422, "LINE_NOT_IN_PAYOUT")?;
    let (after, page) = walk::find(context, &[partner], id).await?;
    page.that(
        after.as_ref() == Some(&before),
        "A second detach changed the line.",
        &before.to_string(),
        &after.map_or_else(|| "no such line".to_owned(), |line| line.to_string()),
    )?;
    Ok(())
}

pub(super) async fn once_of_many(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    let before = Account::of(context, &payout).await?;
    let line = race(context, MANY).await?;
    let after = Account::of(context, &payout).await?;
    compare(&before, &after, &[line])
}
