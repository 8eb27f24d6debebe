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
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Request, Response},
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
async fn reachable(context: &mut CaseContext<'_>) -> Result<Vec<String>, CaseOutcome> {
    let lines = walk::lines(context, &[("status", "IN_PAYOUT")]).await?;
    let ids = lines
        .iter()
        .filter_map(|line| line["payoutId"].as_str().map(str::to_owned));
    let ids: BTreeSet<String> = ids.collect();
    if ids.is_empty() {
        return Err(CaseOutcome::missing("a line that is in a payout"));
    }
    Ok(ids.into_iter().take(LOOKED_AT).collect())
}

async fn shape(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for id in reachable(context).await? {
        let response = context.send(payout(context, &id)?).await?;
        response.is(200)?.has("/data/id", id)?;
        let texts = [
            "/data/partner/id",
            "/data/partner/name",
            "/data/batchId",
            "/data/amount/value",
            "/data/amount/currency",
            "/data/stage",
        ];
        for pointer in texts {
            response.that(
                !response.text(pointer).is_empty(),
                &format!("The payout has no text at {pointer}."),
                "a string that is not empty",
                &response.at(pointer).to_string(),
            )?;
        }
        let data = response
            .at("/data")
            .as_object()
            .cloned()
            .unwrap_or_default();
        let number = data.get("poNumber");
        response.that(
            number.is_some_and(|number| number.is_null() || number.is_string()),
            "poNumber is neither a string nor null.",
            "a string or null",
            &format!("{number:?}"),
        )?;
        for (first, second) in [("periodStart", "periodEnd"), ("createdAt", "updatedAt")] {
            let at = |name| instant(&response, &format!("/data/{name}"));
            response.that(
                at(first)? <= at(second)?,
                &format!("{first} is after {second}."),
                &format!("{first} first"),
                &response.shown(),
            )?;
        }
    }
    Ok(())
}

async fn read_twice(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = payout(context, &context.fixture(Fixture::Payout)?)?;
    let first = context.send(request.clone()).await?;
    first.is(200)?;
    let second = context.send(request).await?;
    let (once, twice) = (own(&first), own(&second));
    second.is(200)?.that(
        twice == once,
        "The payout reads otherwise the second time.",
        &once.to_string(),
        &twice.to_string(),
    )?;
    Ok(())
}

async fn partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for id in reachable(context).await? {
        let mut last = None;
        for _ in 0..READS {
            let of_payout = context.send(payout(context, &id)?).await?;
            let path = format!("/api/v1/partners/{}", of_payout.text("/data/partner/id"));
            let read = context
                .send(Request::get(path).with(&context.all()?))
                .await?;
            read.is(200)?
                .has("/data/id", of_payout.text("/data/partner/id"))?;
            // Somebody may rename it between the two responses, but not each time.
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

async fn amount(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for id in reachable(context).await? {
        Account::of(context, &id).await?.adds_up()?;
    }
    Ok(())
}

async fn metadata(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for id in reachable(context).await? {
        let response = context.send(payout(context, &id)?).await?;
        response.is(200)?;
        let metadata = response.at("/data/metadata");
        let holds_texts = metadata
            .as_object()
            .is_some_and(|members| members.values().all(Value::is_string));
        response.that(
            metadata.is_null() || holds_texts,
            "metadata is neither null nor an object of strings.",
            "null, or an object of strings",
            &metadata.to_string(),
        )?;
    }
    let Ok(noted) = context.fixture(Fixture::PayoutNoted) else {
        return Ok(());
    };
    let response = quiet_payout(context, &noted).await?;
    response.that(
        !response.text("/data/metadata/statementNote").is_empty(),
        "The fixture payout_noted shows no statementNote.",
        "a string that is not empty",
        &response.at("/data/metadata").to_string(),
    )?;
    Ok(())
}

async fn read_at_once(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let one = context.fixture(Fixture::Payout)?;
    let other = context.fixture(Fixture::PayoutOfManyLines)?;
    let asked = [&one, &other, &one, &other];
    let request_id = |at: usize| format!("conformance-at-once-{at}");
    let mut requests = Vec::new();
    for (at, id) in asked.into_iter().enumerate() {
        requests.push(payout(context, id)?.header("x-request-id", &request_id(at)));
    }
    let requests: [Request; 4] = requests.try_into().expect("as many as are asked for");
    let responses = each_at_once(context, requests).await?;
    for (at, (response, id)) in responses.iter().zip(asked).enumerate() {
        response.is(200)?.has("/data/id", id.as_str())?;
        let told = response.header("x-request-id").unwrap_or("none");
        response.that(
            told == request_id(at),
            "An response has the x-request-id of another request.",
            &request_id(at),
            told,
        )?;
    }
    Ok(())
}

async fn unknown(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let known = context.given(payout(context, &id)?).await?;
    let list = Request::get("/api/v1/commission-lines?limit=1").with(&context.all()?);
    let line = context.send(list).await?;
    let mut others = crate::cases::nearly(&id).to_vec();
    others.extend([
        NOBODY.to_owned(),
        known.text("/data/partner/id").to_owned(),
        known.text("/data/batchId").to_owned(),
        line.text("/data/0/id").to_owned(),
    ]);
    // A partner has two ids, a payout one.
    others.extend(context.fixture(Fixture::ExternalId));
    let is_another = |other: &&String| !other.is_empty() && **other != id;
    for other in others.iter().filter(is_another) {
        let request = payout(context, &crate::exchange::request::escaped(other))?;
        let response = context.send(request).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn without_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutWithoutLines)?;
    let account = Account::of(context, &id).await?;
    if !account.lines.is_empty() {
        return Err(CaseOutcome::missing("a payout_without_lines that has none"));
    }
    account.payout.has("/data/amount/value", "0.00")?;
    Ok(())
}

/// The payout's metadata hold this and nothing else.
fn has_metadata(response: &Response, expected: &Value) -> Result<(), CaseOutcome> {
    // Who sets and clears a note may leave an empty object where there was null: both say that there is none.
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    response.that(
        members(response.at("/data/metadata")) == members(expected),
        "The payout has other metadata.",
        &expected.to_string(),
        &response.at("/data/metadata").to_string(),
    )?;
    Ok(())
}
