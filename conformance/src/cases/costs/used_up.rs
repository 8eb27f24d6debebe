//! What becomes of a minute and of a month that are used up: nothing beyond them is taken, and nothing of them is lost.
//!
//! It refuses to leave an organisation with credits that had none.

use super::{CREDITS_REMAINING, LIST, Left, TRIES};
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::money::lease::Lease,
    exchange::Request,
    secret::Secret,
    target::{Hook, Role},
};

const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
/// Refusals for each request that a minute lets pass: more than passes in the two minutes that are looked at.
const REFUSALS_FOR_EACH: u64 = 4;
/// A minute that lets more pass would take too many requests to be used up.
const MOST_LIMIT: u64 = 20;
/// Credits that are left when several ask at once.
const LAST_CREDITS: usize = 3;
/// How many ask then.
const ASKING: usize = 9;
/// An allowance above whatever was used of it, to read how much that is.
const AMPLE: u64 = 1_000_000_000;

pub(super) async fn refused_minute(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST).with(&context.key(Role::Tight)?);
    let mut told = Vec::new();
    for _ in 0..TRIES {
        // The minute may be used up already, by another case.
        let Some((limit, before)) = first_passed(context, &request).await? else {
            continue;
        };
        let refused = use_up(context, &request, limit).await?;
        context.deployment().pace.wait_for_next_minute().await;
        let Some((_, after)) = first_passed(context, &request).await? else {
            continue;
        };
        // What passed in both minutes has taken credits, whoever asked; no more than that may be gone.
        let gone = before.saturating_sub(after);
        if gone <= 2 * limit {
            return Ok(());
        }
        told.push(format!(
            "{gone} credits gone after {refused} responses of 429, at {limit} requests a minute"
        ));
    }
    if told.is_empty() {
        return Err(CaseOutcome::missing(
            "a minute of tight that nobody else uses up",
        ));
    }
    Err(CaseOutcome::failed(
        "More credits are gone than requests can have passed.",
        "at most as many credits as requests passed in two minutes",
        told.join("\n"),
        None,
    ))
}

/// Asks until many were refused, and answers with how many.
async fn use_up(
    context: &mut CaseContext<'_>,
    request: &Request,
    limit: u64,
) -> Result<u64, CaseOutcome> {
    let (wanted, mut refused) = (REFUSALS_FOR_EACH * limit, 0);
    // So many pass at most, where a minute ends meanwhile.
    for _ in 0..wanted + 2 * limit {
        let response = context.send_at_once(request.clone()).await?;
        refused += u64::from(response.status == 429);
        if refused == wanted {
            return Ok(refused);
        }
    }
    Err(CaseOutcome::failed(
        "The per-minute allowance is not enforced.",
        format!("no more than {limit} responses of 200 in a minute"),
        format!(
            "only {refused} of {} requests were refused",
            wanted + 2 * limit
        ),
        None,
    ))
}

/// The limit of a minute, and the credits that a request leaves that passes; none where the minute is used up.
async fn first_passed(
    context: &mut CaseContext<'_>,
    request: &Request,
) -> Result<Option<(u64, u64)>, CaseOutcome> {
    let response = context.send_at_once(request.clone()).await?;
    if response.status == 429 {
        context.deployment().pace.wait_for_next_minute().await;
        return Ok(None);
    }
    response.is(200)?;
    let limit = response.number(RATE_LIMIT).unwrap_or(u64::MAX);
    if limit > MOST_LIMIT {
        return Err(CaseOutcome::missing(format!(
            "an organisation with at most {MOST_LIMIT} requests a minute for the role tight"
        )));
    }
    Ok(Some((limit, Left::of(&response)?.credits)))
}

pub(super) async fn last_credits(
    context: &mut CaseContext<'_>,
    _: &mut Lease,
) -> Result<(), CaseOutcome> {
    let key = context.key(Role::Exhausted)?;
    let mut tries = 0;
    loop {
        let outcome = spend_last_credits(context, &key).await;
        // Whatever came: others expect this organisation without credits.
        set_credits(context, 0).await?;
        tries += 1;
        // Another run that looks for a 402 meanwhile spends one of these credits; but not every time.
        if tries == TRIES || !matches!(outcome, Err(CaseOutcome::Failed(_))) {
            return outcome;
        }
    }
}

async fn spend_last_credits(
    context: &mut CaseContext<'_>,
    key: &Secret,
) -> Result<(), CaseOutcome> {
    // Which of them is refused is chance.
    context.forgo_snapshots();
    let request = Request::get(LIST).with(key);
    set_credits(context, AMPLE).await?;
    let left = Left::of(&context.given(request.clone()).await?)?;
    let used = AMPLE.saturating_sub(left.credits);
    set_credits(context, used + LAST_CREDITS as u64).await?;
    let responses = context.send_all(vec![request.clone(); ASKING]).await?;
    let mut remaining = Vec::new();
    for response in &responses {
        match response.status.as_u16() {
            200 => remaining.push(response.number(CREDITS_REMAINING)),
            _ => context.is_error(response, 402, "API_CREDITS_EXHAUSTED")?,
        }
    }
    remaining.sort_unstable();
    let expected: Vec<Option<u64>> = (0..LAST_CREDITS as u64).map(Some).collect();
    if remaining == expected {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        format!("{ASKING} requests came at once, and {LAST_CREDITS} credits were left."),
        format!("{LAST_CREDITS} responses of 200, which tell that {expected:?} remain; then 402"),
        format!(
            "{} responses of 200, which tell {remaining:?}",
            remaining.len()
        ),
        None,
    ))
}

async fn set_credits(context: &mut CaseContext<'_>, credits: u64) -> Result<(), CaseOutcome> {
    let credits = credits.to_string();
    context
        .operate(Hook::SetCredits, &[("credits", &credits)])
        .await?;
    Ok(())
}
