//! What special requests cost (A4, A6, A7, A8): a 402, a new statement, a 429, the last credits.
//! Concurrent traffic may mask a bug but cannot cause a false failure.

mod used_up;

use super::money::{
    document::statement,
    lock::{HOOKS, Lock},
};
use crate::cases::prelude::*;
use used_up::{last_credits, refused_minute};

const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
/// A correct deployment needs a second try where a minute or a month ended in the first.
const TRIES: usize = 3;

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.changes(Changes::Allowance).requests(24);
    { "costs.exhausted-count" "A4" retry_locked(exhausted_count)
      "A 402 counts in the minute." .keys(&[Role::Exhausted]).exclusive().requests(6) }
    { "costs.new-statement" "A6" lock(new_statement)
      "A statement that has to be rendered costs one credit, as one that exists already."
      .fixtures(&[Fixture::PayoutNoted]).hooks(&HOOKS).changes(Changes::Restored).exclusive() }
    { "costs.refused-minute" "A7" run(refused_minute)
      "A 429 costs no credit: the next minute begins with the credits that the last one left."
      .keys(&[Role::Tight]).waits_for_minute().requests(130) }
    { "costs.last-credits" "A8" lock(last_credits)
      "Of many concurrent requests no more succeed than there are credits."
      .keys(&[Role::All, Role::Exhausted]).fixtures(&[Fixture::PayoutNoted])
      .hooks(&[HOOKS[0], HOOKS[1], Hook::SetCredits]).changes(Changes::Restored).requests(40) }
};

/// What a response says is left.
pub(crate) struct Left {
    pub(crate) requests: u64,
    pub(crate) credits: u64,
}

/// What was spent between two readings, by other clients too.
pub(crate) struct Spent {
    pub(crate) requests: u64,
    pub(crate) credits: u64,
}

impl Spent {
    pub(crate) fn message(&self) -> String {
        format!(
            "{} fewer requests left in the minute, {} fewer credits",
            self.requests, self.credits
        )
    }
}

impl Left {
    pub(crate) fn of(response: &Response) -> CaseResult<Self> {
        let (requests, credits) =
            (response.number(RATE_REMAINING), response.number(CREDITS_REMAINING));
        let missing = || CaseOutcome::missing("an allowance of credits for the organisation");
        Ok(Self { requests: requests.ok_or_else(missing)?, credits: credits.ok_or_else(missing)? })
    }

    pub(crate) fn less(&self, after: &Self) -> Spent {
        Spent {
            requests: self.requests.saturating_sub(after.requests),
            credits: self.credits.saturating_sub(after.credits),
        }
    }
}

async fn exhausted_count(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.key(Role::Exhausted)?);
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        let before = context.send(request.clone()).await?;
        let after = context.send(request.clone()).await?;
        before.is(402)?;
        after.is(402)?;
        let left = [&before, &after].map(|response| response.number(RATE_REMAINING));
        if left[1] < left[0] {
            return Ok(());
        }
        messages.push(format!("{left:?}"));
    }
    Err(CaseOutcome::failed(
        "A 402 does not count in the minute.",
        "less after each request",
        messages.join("\n"),
        None,
    ))
}

async fn new_statement(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let reading = Request::get(LIST).with(&context.all()?);
    let statement = statement(context, lock.payout())?;
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        // A new PO number has no document yet.
        lock.mark(context).await?;
        let before = Left::of(&context.given(reading.clone()).await?)?;
        context.given(statement.clone()).await?;
        let after = Left::of(&context.given(reading.clone()).await?)?;
        let spent = before.less(&after);
        // Who else asks spends at most a credit with each request.
        if spent.credits > 1 && spent.credits <= spent.requests {
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
