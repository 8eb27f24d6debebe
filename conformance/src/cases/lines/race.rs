//! Concurrent detaches of one line: one succeeds, and the payout's amount falls once.

use super::{
    detached::{attached, compare},
    detaching, is_listed_as, text,
};
use crate::cases::prelude::*;

const MANY: usize = 8;

/// Sends concurrent detaches of one line, of which one succeeds and the others are rejected;
/// returns the line.
async fn race(context: &mut CaseContext<'_>, count: usize) -> CaseResult<Value> {
    context.forgo_snapshots();
    let line = attached(context).await?;
    let request = detaching(context, text(&line, "id"))?;
    let responses = concurrently(context, vec![request; count]).await?;
    let won = responses.iter().filter(|response| response.is_success()).count();
    for response in responses.iter().filter(|response| !response.is_success()) {
        context.is_error(response, LINE_NOT_IN_PAYOUT)?;
    }
    responses[0].that(
        won == 1,
        &format!("Of {count} concurrent detaches of one line {won} succeeded."),
        "one",
        &responses.iter().map(Response::status_line).collect::<Vec<_>>().join(", "),
    )?;
    Ok(line)
}

/// A line is detached once: of two concurrent detaches one succeeds, and later ones are rejected.
#[case("§4.5.422", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 60)]
async fn once(context: &mut CaseContext<'_>) -> CaseResult {
    let line = race(context, 2).await?;
    let id = text(&line, "id");
    let partner = ("partnerId", text(&line, "partnerId"));
    let (before, lines) = find_line(context, &[partner], id).await?;
    let Some(before) = before else {
        return Err(lines.failed("The list lost the detached line.", id, "no such line"));
    };
    context.expect(detaching(context, id)?, LINE_NOT_IN_PAYOUT).await?;
    let what = "A second detach changed the line.";
    is_listed_as(context, &[partner], id, Some(&before), what).await
}

/// Of eight concurrent detaches of one line one succeeds, and the payout's amount falls once.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 60)]
async fn once_of_many(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    let before = Account::of(context, &payout).await?;
    let line = race(context, MANY).await?;
    let after = Account::of(context, &payout).await?;
    compare(&before, &after, &[line])
}
