//! Used-up minutes and months: nothing beyond the allowance succeeds, and nothing within it is
//! lost. The organisation `exhausted` is left without credits again.

use super::{Left, TRIES};
use crate::cases::prelude::*;

/// Rejected requests for each that a minute allows: more than pass in the two minutes of the case.
const REJECTED_FOR_EACH: u64 = 4;
/// Using up a larger allowance would take too many requests.
const MAX_LIMIT: u64 = 20;
/// Credits that remain for the concurrent requests.
const LAST_CREDITS: usize = 3;
const CONCURRENT: usize = 9;
/// An allowance above what was used of it, to read how much that is.
const AMPLE: u64 = 1_000_000_000;

/// A 429 costs no credit: the next minute begins with the credits that the last one left.
#[case("A7", keys(Tight), changes = Allowance, waits_for_minute, requests = 130)]
async fn refused_minute(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.key(Role::Tight)?);
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        // Another case may have used up the minute.
        let Some((limit, before)) = first_passed(context, &request).await? else {
            continue;
        };
        let rejected = use_up(context, &request, limit).await?;
        context.deployment().pace.wait_for_next_minute(&request).await?;
        let Some((_, after)) = first_passed(context, &request).await? else {
            continue;
        };
        // Requests that succeed in either minute cost a credit; no more may be spent.
        let spent = before.saturating_sub(after);
        if spent <= 2 * limit {
            return Ok(());
        }
        messages.push(format!(
            "{spent} credits spent, with {rejected} responses of 429, at {limit} requests a minute"
        ));
    }
    CaseOutcome::missing_if(messages.is_empty(), "a minute of tight that is not used up")?;
    Err(CaseOutcome::failed(
        "More credits were spent than requests can have succeeded.",
        "at most as many credits as requests in two minutes",
        messages.join("\n"),
        None,
    ))
}

/// Sends requests until many were rejected, and returns how many.
async fn use_up(context: &mut CaseContext<'_>, request: &Request, limit: u64) -> CaseResult<u64> {
    let (wanted, mut rejected) = (REJECTED_FOR_EACH * limit, 0);
    // At most so many succeed, where a minute ends meanwhile.
    for _ in 0..wanted + 2 * limit {
        let response = context.send_at_once(request.clone()).await?;
        rejected += u64::from(response.status == 429);
        if rejected == wanted {
            return Ok(rejected);
        }
    }
    Err(CaseOutcome::failed(
        "The per-minute allowance is not enforced.",
        format!("no more than {limit} responses of 200 in a minute"),
        format!("only {rejected} of {} requests were rejected", wanted + 2 * limit),
        None,
    ))
}

/// The limit of a minute, and the credits after a request that succeeds; `None` where the minute is
/// used up.
async fn first_passed(
    context: &mut CaseContext<'_>,
    request: &Request,
) -> CaseResult<Option<(u64, u64)>> {
    let response = context.send_at_once(request.clone()).await?;
    if response.status == 429 {
        context.deployment().pace.wait_for_next_minute(request).await?;
        return Ok(None);
    }
    response.is(200)?;
    let limit = response.number(RATE_LIMIT).unwrap_or(u64::MAX);
    CaseOutcome::missing_if(
        limit > MAX_LIMIT,
        format!("an organisation with at most {MAX_LIMIT} requests a minute for the role tight"),
    )?;
    Ok(Some((limit, Left::of(&response)?.credits)))
}

/// Of many concurrent requests no more succeed than there are credits.
#[case("A8", keys(Exhausted), hooks(SetCredits), changes = Restored, requests = 20, exclusive)]
async fn last_credits(context: &mut CaseContext<'_>) -> CaseResult {
    let key = &context.key(Role::Exhausted)?;
    // Which of them is rejected is chance.
    context.forgo_snapshots();
    let request = Request::get(LIST).with(key);
    context.set_credits(AMPLE).await?;
    let left = Left::of(&context.given(request.clone()).await?)?;
    let used = AMPLE.saturating_sub(left.credits);
    context.set_credits(used + LAST_CREDITS as u64).await?;
    let responses = context.send_all(vec![request.clone(); CONCURRENT]).await?;
    let mut remaining = Vec::new();
    for response in &responses {
        match response.status.as_u16() {
            200 => remaining.push(response.number(CREDITS_REMAINING)),
            _ => context.is_error(response, API_CREDITS_EXHAUSTED)?,
        }
    }
    remaining.sort_unstable();
    let expected: Vec<Option<u64>> = (0..LAST_CREDITS as u64).map(Some).collect();
    if remaining == expected {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        format!("{CONCURRENT} concurrent requests met {LAST_CREDITS} credits."),
        format!("{LAST_CREDITS} responses of 200 with {expected:?} remaining, all others 402"),
        format!("{} responses of 200 with {remaining:?} remaining", remaining.len()),
        None,
    ))
}
