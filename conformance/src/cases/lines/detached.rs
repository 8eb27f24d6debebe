//! Detaches that succeed: the answer, what lists show after it, the payout's amount, and who comes second.
//!
//! It refuses to blame a deployment for another run: of a line that somebody else was faster with, nothing is said.

use serde_json::Value;

use super::{detaching, text};
use crate::{
    case::{Scene, Stop},
    cases::money::{
        account::{self, Account},
        at_once,
        dataset::Dataset,
        instant, payout, told_at, walk,
    },
    exchange::{Answer, Call},
    target::{Feature, Fixture, Role},
};

/// Lines that other runs may detach from one payout while one is detached here.
pub(super) const RIVALS: usize = 2;
/// Calls at once.
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
pub(super) async fn attached(scene: &mut Scene<'_>) -> Result<Value, Stop> {
    attached_such(scene, |_| true).await
}

/// The same, and one that is wanted, where there is such a one.
async fn attached_such(scene: &mut Scene<'_>, is_wanted: Wanted) -> Result<Value, Stop> {
    let payout = scene.fixture(Fixture::PayoutToDetach)?;
    let lines = walk::lines(scene, &[("payoutId", &payout)]).await?;
    let mut others = Vec::new();
    let found = loop {
        let id = match scene.take_line() {
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
    scene.give_back_lines(others);
    Ok(found)
}

/// Whether a line is one that the case would rather have.
type Wanted = fn(&Value) -> bool;

fn is_negative(line: &Value) -> bool {
    text(line, "amount").starts_with('-')
}

/// Whether a line is in its payout still.
pub(super) async fn is_attached(scene: &mut Scene<'_>, line: &Value) -> Result<bool, Stop> {
    let filters = [("payoutId", text(line, "payoutId"))];
    let found = walk::find(scene, &filters, text(line, "id")).await?;
    Ok(found.0.is_some())
}

pub(super) fn spend(scene: &mut Scene<'_>, line: &Value) {
    let (id, payout) = (text(line, "id"), text(line, "payoutId"));
    scene.remains(format!("the line {id} is no longer in the payout {payout}"));
}

/// Detaches a line; where another run was faster, another line.
///
/// # Errors
/// It is refused, or none is left.
pub(in crate::cases) async fn detach_one(scene: &mut Scene<'_>) -> Result<(Value, Answer), Stop> {
    detach_such(scene, |_| true).await
}

async fn detach_such(scene: &mut Scene<'_>, is_wanted: Wanted) -> Result<(Value, Answer), Stop> {
    let mut last = None;
    for _ in 0..=RIVALS {
        let line = attached_such(scene, is_wanted).await?;
        let id = text(&line, "id");
        let answer = scene.send(detaching_with_key(scene, id)?).await?;
        if answer.status == 422 && !is_attached(scene, &line).await? {
            last = Some(answer);
            continue;
        }
        if answer.is_success() {
            spend(scene, &line);
        }
        answer.is(200)?.that(
            answer.text("/data/idempotencyKey") != id,
            "The line took the idempotencyKey of the request.",
            "the key that the line was created with, if any",
            id,
        )?;
        if scene.deployment().features.contains(&Feature::Seeded) {
            // Of some lines it is null.
            let key = Dataset::read().idempotency_key(text(&line, "description"));
            answer.has("/data/idempotencyKey", key)?;
        }
        return Ok((line, answer));
    }
    Err(Stop::failed(
        "Attached lines are detached, and their detach is answered 422 all the same.",
        "200",
        last.as_ref().map_or_else(String::new, Answer::shown),
        last.map(|answer| answer.exchange),
    ))
}

/// That a change has moved `updatedAt`, to now.
fn is_moved(answer: &Answer, before: &Value) -> Result<(), Stop> {
    let after = instant(answer, "/data/updatedAt")?;
    let earlier = text(before, "updatedAt").parse::<chrono::DateTime<chrono::Utc>>();
    let away = (after - told_at(answer)).num_seconds().abs();
    answer.that(
        earlier.is_ok_and(|earlier| after > earlier) && away <= JUST_NOW_SECONDS,
        "updatedAt is not the time of this change.",
        &format!("now, and later than {}", before["updatedAt"]),
        answer.text("/data/updatedAt"),
    )?;
    Ok(())
}

pub(super) async fn detach(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let payout = format!(
        "/api/v1/payouts/{}",
        scene.fixture(Fixture::PayoutToDetach)?
    );
    let payout = Call::get(payout).with(&scene.all()?);
    let stage = scene.given(payout.clone()).await?.at("/data/stage").clone();
    let (before, answer) = detach_one(scene).await?;
    // Here and not in a later case: where a detach moves the stage, the first one does.
    scene
        .send(payout)
        .await?
        .is(200)?
        .has("/data/stage", stage)?;
    answer
        .has("/data/status", "PENDING")?
        .has("/data/payoutId", Value::Null)?;
    let data = answer.at("/data").as_object().cloned().unwrap_or_default();
    for name in ["payoutId", "idempotencyKey"] {
        answer.that(
            data.contains_key(name),
            &format!("The answer lacks {name}."),
            "the field, null where there is nothing to say",
            &answer.shown(),
        )?;
    }
    for (name, value) in before.as_object().into_iter().flatten() {
        if !CHANGED.contains(&name.as_str()) {
            answer.has(&format!("/data/{name}"), value.clone())?;
        }
    }
    answer.that(
        before.get("idempotencyKey").is_none(),
        "An item of the list holds an idempotencyKey.",
        "none: it is absent from list items",
        &before.to_string(),
    )?;
    // Which line is detached is drawn: no two runs side by side shall want the same.
    scene.snapshot_of_drawn(&answer, &DRAWN);
    is_moved(&answer, &before)
}

pub(super) async fn without_scope(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::CommissionsRead)?;
    let mut last = None;
    // Another run may take the line meanwhile; but not each of several.
    for _ in 0..=RIVALS {
        let line = attached(scene).await?;
        let call = detaching(scene, text(&line, "id"))?.with(&key);
        let answer = scene.send(call).await?;
        scene.is_error(&answer, 403, "INSUFFICIENT_SCOPE")?;
        if is_attached(scene, &line).await? {
            return Ok(());
        }
        spend(scene, &line);
        last = Some((line, answer.exchange));
    }
    let (id, exchange) = last.map_or_else(Default::default, |(line, exchange)| {
        (text(&line, "id").to_owned(), Some(exchange))
    });
    Err(Stop::failed(
        "A detach was answered 403, and the line was detached all the same.",
        format!("{id} among the lines of its payout"),
        "it is not there any more",
        exchange,
    ))
}

pub(super) async fn stored(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let (before, answer) = detach_one(scene).await?;
    let (id, partner) = (text(&before, "id"), text(&before, "partnerId"));
    let mut told = answer.at("/data").clone();
    if let Some(told) = told.as_object_mut() {
        told.remove("idempotencyKey");
    }
    let partners = ("partnerId", partner);
    for filters in [&[partners][..], &[partners, ("status", "PENDING")]] {
        let (found, page) = walk::find(scene, filters, id).await?;
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
        let (found, page) = walk::find(scene, &filters, id).await?;
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
pub(super) fn compare(before: &Account, after: &Account, ours: &[Value]) -> Result<(), Stop> {
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

pub(super) async fn amount(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutToDetach)?;
    let by_other_key = scene.key(Role::CommissionsRead).ok();
    let call = payout(scene, &id)?;
    let by_other_key = by_other_key.map(|key| call.with(&key));
    let before = Account::of(scene, &id).await?;
    before.adds_up()?;
    if let Some(call) = &by_other_key {
        // An answer that somebody keeps for this key is not told after the detach.
        scene.given(call.clone()).await?;
    }
    // A claw-back that leaves makes the payout larger.
    let (line, _) = detach_such(scene, is_negative).await?;
    let after = Account::of(scene, &id).await?;
    compare(&before, &after, &[line])?;
    let Some(call) = by_other_key else {
        return Ok(());
    };
    let told = scene.send(call).await?;
    let again = Account::of(scene, &id).await?;
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

/// A detach with a header that elsewhere has a first answer told again. This API knows none such: a line is detached once.
fn detaching_with_key(scene: &Scene<'_>, line: &str) -> Result<Call, Stop> {
    Ok(detaching(scene, line)?.header("idempotency-key", line))
}

/// Several detaches of one line at once: one 200, the others 422. Where another run was faster, another line.
async fn race(scene: &mut Scene<'_>, count: usize) -> Result<Value, Stop> {
    scene.forgo_snapshots();
    for _ in 0..=RIVALS {
        let line = attached(scene).await?;
        let call = detaching_with_key(scene, text(&line, "id"))?;
        let answers = at_once(scene, vec![call; count]).await?;
        let won = answers.iter().filter(|answer| answer.is_success()).count();
        if won > 0 {
            spend(scene, &line);
        }
        for answer in answers.iter().filter(|answer| !answer.is_success()) {
            scene.is_error(answer, 422, "LINE_NOT_IN_PAYOUT")?;
        }
        // Nobody here won: another run did, or the deployment detaches and says that it does not.
        if won == 0 && !is_attached(scene, &line).await? {
            continue;
        }
        answers[0].that(
            won == 1,
            &format!("Of {count} detaches of one line at once, {won} succeeded."),
            "one",
            &answers
                .iter()
                .map(Answer::status_line)
                .collect::<Vec<_>>()
                .join(", "),
        )?;
        return Ok(line);
    }
    Err(Stop::failed(
        "Attached lines are detached, and every one of their detaches is answered 422.",
        "one 200",
        "none",
        None,
    ))
}

pub(super) async fn once(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let line = race(scene, 2).await?;
    let id = text(&line, "id");
    let partner = ("partnerId", text(&line, "partnerId"));
    let (before, page) = walk::find(scene, &[partner], id).await?;
    let Some(before) = before else {
        return Err(Stop::failed(
            "The list lost the detached line.",
            id,
            "no such line",
            Some(page.exchange),
        ));
    };
    let answer = scene.send(detaching_with_key(scene, id)?).await?;
    scene.is_error(&answer, 422, "LINE_NOT_IN_PAYOUT")?;
    let (after, page) = walk::find(scene, &[partner], id).await?;
    page.that(
        after.as_ref() == Some(&before),
        "A second detach changed the line.",
        &before.to_string(),
        &after.map_or_else(|| "no such line".to_owned(), |line| line.to_string()),
    )?;
    Ok(())
}

pub(super) async fn once_of_many(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let payout = scene.fixture(Fixture::PayoutToDetach)?;
    let before = Account::of(scene, &payout).await?;
    let line = race(scene, MANY).await?;
    let after = Account::of(scene, &payout).await?;
    compare(&before, &after, &[line])
}
