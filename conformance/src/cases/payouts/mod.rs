//! Payouts (§2.3, §4.6): their fields, what they have in common with partners and lines, and the data set's exact values.
//!
//! It refuses to compare values that another run is changing: it waits until nobody is.
//!
//! | file | owns |
//! |---|---|
//! | [`seeded`](mod@seeded) | the data set's exact values |
//! | [`hooked`] | what a payout shows of what hooks changed |

mod hooked;
mod seeded;

use std::collections::BTreeSet;

use serde_json::Value;

use super::money::{
    NOBODY,
    account::Account,
    each_at_once, instant,
    lease::{HOOKS, quiet_payout},
    own, payout, walk,
};
use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    exchange::{Answer, Call},
    target::{Feature, Fixture, Hook},
};
use hooked::{note, po_number};
use seeded::{seeded, seeded_amounts};

/// Payouts that are looked at, of those that lines lead to.
const LOOKED_AT: usize = 15;
/// How often a partner is read that somebody is renaming.
const READS: usize = 5;

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "payouts.shape",
        "Every payout that lines lead to can be read, and has all its fields.",
        "§2.3",
        runs!(shape),
    )
    .on("getPayout")
    .requests(40),
    Case::new(
        "payouts.read-twice",
        "Reading a payout changes nothing of it.",
        "§4.6",
        runs!(read_twice),
    )
    .on("getPayout")
    .fixtures(&[Fixture::Payout]),
    Case::new(
        "payouts.read-at-once",
        "Requests at once are answered each with its own: the payout it asks for, and the x-request-id it has.",
        "§4.6",
        runs!(read_at_once),
    )
    .on("getPayout")
    .fixtures(&[Fixture::Payout, Fixture::PayoutOfManyLines]),
    Case::new(
        "payouts.partner",
        "A payout's partner is one that can be read, with that name.",
        "§2.3.partner",
        runs!(partner),
    )
    .on("getPayout")
    .requests(80),
    Case::new(
        "payouts.amount",
        "A payout's amount is the exact sum of its lines, in their currency.",
        "V4",
        runs!(amount),
    )
    .on("getPayout")
    .requests(120),
    Case::new(
        "payouts.metadata",
        "A payout's metadata is null or holds texts, and the note is one of them.",
        "V11",
        runs!(metadata),
    )
    .on("getPayout")
    .requests(40),
    Case::new(
        "payouts.unknown",
        "An id that no payout has is answered 404, also where it is an id of something else.",
        "A.order",
        runs!(unknown),
    )
    .on("getPayout")
    .fixtures(&[Fixture::Payout])
    .requests(16),
    Case::new(
        "payouts.without-lines",
        "The amount of a payout without lines is 0.00.",
        "V4",
        runs!(without_lines),
    )
    .on("getPayout")
    .fixtures(&[Fixture::PayoutWithoutLines]),
    Case::new(
        "payouts.seeded",
        "Each payout of the data set has its exact values, in every stage.",
        "§2.3",
        runs!(seeded),
    )
    .on("getPayout")
    .features(&[Feature::Seeded])
    .requests(40),
    Case::new(
        "payouts.seeded-amounts",
        "Amounts are exact: below zero, above what a floating point holds, and with every cent of 41 lines.",
        "§2.3.amount",
        runs!(seeded_amounts),
    )
    .on("getPayout")
    .features(&[Feature::Seeded]),
    Case::new(
        "payouts.po-number",
        "A payout shows its PO number as it was set, and null where it has none.",
        "§2.3.poNumber",
        runs!(po_number),
    )
    .on("getPayout")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "payouts.note",
        "A payout's metadata shows its statement note as it was set, beside what else it holds.",
        "V11",
        runs!(note),
    )
    .on("getPayout")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&[
        Hook::SetPoNumber,
        Hook::ClearPoNumber,
        Hook::SetNote,
        Hook::ClearNote,
    ])
    .changes(Changes::Restored)
    .requests(40),
];

/// Ids of the payouts that the first lines lead to.
async fn reachable(scene: &mut Scene<'_>) -> Result<Vec<String>, Stop> {
    let lines = walk::lines(scene, &[("status", "IN_PAYOUT")]).await?;
    let ids = lines
        .iter()
        .filter_map(|line| line["payoutId"].as_str().map(str::to_owned));
    let ids: BTreeSet<String> = ids.collect();
    if ids.is_empty() {
        return Err(Stop::missing("a line that is in a payout"));
    }
    Ok(ids.into_iter().take(LOOKED_AT).collect())
}

async fn shape(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for id in reachable(scene).await? {
        let answer = scene.send(payout(scene, &id)?).await?;
        answer.is(200)?.has("/data/id", id)?;
        let texts = [
            "/data/partner/id",
            "/data/partner/name",
            "/data/batchId",
            "/data/amount/value",
            "/data/amount/currency",
            "/data/stage",
        ];
        for pointer in texts {
            answer.that(
                !answer.text(pointer).is_empty(),
                &format!("The payout has no text at {pointer}."),
                "a string that is not empty",
                &answer.at(pointer).to_string(),
            )?;
        }
        let data = answer.at("/data").as_object().cloned().unwrap_or_default();
        let number = data.get("poNumber");
        answer.that(
            number.is_some_and(|number| number.is_null() || number.is_string()),
            "poNumber is neither a string nor null.",
            "a string or null",
            &format!("{number:?}"),
        )?;
        for (first, second) in [("periodStart", "periodEnd"), ("createdAt", "updatedAt")] {
            let at = |name| instant(&answer, &format!("/data/{name}"));
            answer.that(
                at(first)? <= at(second)?,
                &format!("{first} is after {second}."),
                &format!("{first} first"),
                &answer.shown(),
            )?;
        }
    }
    Ok(())
}

async fn read_twice(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = payout(scene, &scene.fixture(Fixture::Payout)?)?;
    let first = scene.send(call.clone()).await?;
    first.is(200)?;
    let second = scene.send(call).await?;
    let (once, twice) = (own(&first), own(&second));
    second.is(200)?.that(
        twice == once,
        "The payout reads otherwise the second time.",
        &once.to_string(),
        &twice.to_string(),
    )?;
    Ok(())
}

async fn partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for id in reachable(scene).await? {
        let mut last = None;
        for _ in 0..READS {
            let of_payout = scene.send(payout(scene, &id)?).await?;
            let path = format!("/api/v1/partners/{}", of_payout.text("/data/partner/id"));
            let read = scene.send(Call::get(path).with(&scene.all()?)).await?;
            read.is(200)?
                .has("/data/id", of_payout.text("/data/partner/id"))?;
            // Somebody may rename it between the two answers, but not each time.
            if read.text("/data/name") == of_payout.text("/data/partner/name") {
                last = None;
                break;
            }
            last = Some((of_payout, read));
        }
        if let Some((of_payout, read)) = last {
            of_payout.has("/data/partner/name", read.text("/data/name"))?;
        }
    }
    Ok(())
}

async fn amount(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for id in reachable(scene).await? {
        Account::of(scene, &id).await?.adds_up()?;
    }
    Ok(())
}

async fn metadata(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for id in reachable(scene).await? {
        let answer = scene.send(payout(scene, &id)?).await?;
        answer.is(200)?;
        let metadata = answer.at("/data/metadata");
        let holds_texts = metadata
            .as_object()
            .is_some_and(|members| members.values().all(Value::is_string));
        answer.that(
            metadata.is_null() || holds_texts,
            "metadata is neither null nor an object of strings.",
            "null, or an object of strings",
            &metadata.to_string(),
        )?;
    }
    let Ok(noted) = scene.fixture(Fixture::PayoutNoted) else {
        return Ok(());
    };
    let answer = quiet_payout(scene, &noted).await?;
    answer.that(
        !answer.text("/data/metadata/statementNote").is_empty(),
        "The fixture payout_noted shows no statementNote.",
        "a string that is not empty",
        &answer.at("/data/metadata").to_string(),
    )?;
    Ok(())
}

async fn read_at_once(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let one = scene.fixture(Fixture::Payout)?;
    let other = scene.fixture(Fixture::PayoutOfManyLines)?;
    let asked = [&one, &other, &one, &other];
    let request_id = |at: usize| format!("conformance-at-once-{at}");
    let mut calls = Vec::new();
    for (at, id) in asked.into_iter().enumerate() {
        calls.push(payout(scene, id)?.header("x-request-id", &request_id(at)));
    }
    let calls: [Call; 4] = calls.try_into().expect("as many as are asked for");
    let answers = each_at_once(scene, calls).await?;
    for (at, (answer, id)) in answers.iter().zip(asked).enumerate() {
        answer.is(200)?.has("/data/id", id.as_str())?;
        let told = answer.header("x-request-id").unwrap_or("none");
        answer.that(
            told == request_id(at),
            "An answer has the x-request-id of another request.",
            &request_id(at),
            told,
        )?;
    }
    Ok(())
}

async fn unknown(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let known = scene.given(payout(scene, &id)?).await?;
    let list = Call::get("/api/v1/commission-lines?limit=1").with(&scene.all()?);
    let line = scene.send(list).await?;
    let mut others = crate::cases::nearly(&id).to_vec();
    others.extend([
        NOBODY.to_owned(),
        known.text("/data/partner/id").to_owned(),
        known.text("/data/batchId").to_owned(),
        line.text("/data/0/id").to_owned(),
    ]);
    // A partner has two ids, a payout one.
    others.extend(scene.fixture(Fixture::ExternalId));
    let is_another = |other: &&String| !other.is_empty() && **other != id;
    for other in others.iter().filter(is_another) {
        let call = payout(scene, &crate::exchange::call::escaped(other))?;
        let answer = scene.send(call).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn without_lines(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutWithoutLines)?;
    let account = Account::of(scene, &id).await?;
    if !account.lines.is_empty() {
        return Err(Stop::missing("a payout_without_lines that has none"));
    }
    account.payout.has("/data/amount/value", "0.00")?;
    Ok(())
}

/// The payout's metadata hold this and nothing else.
fn has_metadata(answer: &Answer, expected: &Value) -> Result<(), Stop> {
    // Who sets and clears a note may leave an empty object where there was null: both say that there is none.
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    answer.that(
        members(answer.at("/data/metadata")) == members(expected),
        "The payout has other metadata.",
        &expected.to_string(),
        &answer.at("/data/metadata").to_string(),
    )?;
    Ok(())
}
