//! The costs of special requests (A4, A6, A7, A8): a 402, a new statement, a 429, the last credits.

mod faults;
mod used_up;

use super::meters::counts_down;
use crate::cases::prelude::*;

/// Tries of a measurement, because a minute or a month may end during one.
const TRIES: u32 = 3;

/// The allowance that a response says is left, or that was spent between two of them.
pub(crate) struct Left {
    pub(crate) requests: u64,
    pub(crate) credits: u64,
}

impl Left {
    pub(crate) fn of(response: &Response) -> CaseResult<Self> {
        let (requests, credits) =
            (response.number(RATE_REMAINING), response.number(CREDITS_REMAINING));
        let missing = || CaseOutcome::missing("an allowance of credits for the organisation");
        Ok(Self { requests: requests.ok_or_else(missing)?, credits: credits.ok_or_else(missing)? })
    }

    pub(crate) fn less(&self, after: &Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(after.requests),
            credits: self.credits.saturating_sub(after.credits),
        }
    }

    pub(crate) fn message(&self) -> String {
        let Self { requests, credits } = self;
        format!("{requests} fewer requests left in the minute, {credits} fewer credits")
    }
}

/// A 402 counts in the minute.
#[case("A4", keys(Exhausted), changes = Allowance, exclusive, requests = 24)]
async fn exhausted_count(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.key(Role::Exhausted)?);
    counts_down(context, [request.clone(), request], 402).await
}

/// A statement that has to be rendered costs one credit, as one that exists already.
#[case("A6", fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber), changes = Restored,
       requests = 32, exclusive)]
async fn new_statement(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let reading = Request::get(LIST).with(&context.all()?);
    let statement = statement(context, &id)?;
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        // A new PO number has no document yet.
        context.renumber(&id).await?;
        let before = Left::of(&context.given(reading.clone()).await?)?;
        context.given(statement.clone()).await?;
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        // The second reading costs one, too.
        if spent.credits == 2 {
            return Ok(());
        }
        messages.push(spent.message());
    }
    Err(CaseOutcome::failed(
        "A new statement costs another number of credits than one.",
        "one credit for it, and one for the request behind it",
        messages.join("\n"),
        None,
    ))
}
