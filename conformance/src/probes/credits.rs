//! An organisation without credits (§7, A6), and one without requests in this minute.

use super::{
    probe::Probe,
    subject::{Subject, with_unknown_parameter},
};
use crate::{
    case::{
        CaseContext, CaseOutcome, CaseResult, Changes,
        errors::{API_CREDITS_EXHAUSTED, INSUFFICIENT_SCOPE, RATE_LIMITED, VALIDATION_FAILED},
    },
    exchange::{Request, Response, headers::*},
    target::Role,
};

/// Requests that are sent at most to use up a minute.
const MAX_REQUESTS: u32 = 40;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let exhausted = subject
        .case("credits.exhausted", "§7.402", exhausted)
        .says("{operation} without credits is 402, with retry-after and 0 remaining.")
        .keys(&[Role::Exhausted])
        .changes(Changes::Allowance);
    let minute = subject
        .case("minute.exhausted", "§8.minute", minute_ends)
        .says("{operation} beyond the minute's allowance is 429.")
        .keys(&[Role::Tight])
        .changes(Changes::Allowance)
        .requests(MAX_REQUESTS);
    probes.extend([
        exhausted
            .fault("{operation} without credits is 403.", subject.answers(402, INSUFFICIENT_SCOPE)),
        minute.fault(
            "{operation} beyond the minute's allowance is 403.",
            subject.answers(429, INSUFFICIENT_SCOPE),
        ),
    ]);
}

async fn exhausted(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    // Without an order of checks the id, which is another organisation's, may be checked first.
    CaseOutcome::missing_if(
        subject.has_id() && !context.judges("A.order"),
        "an id of the organisation without credits",
    )?;
    let request = subject.own(context).with(&context.key(Role::Exhausted)?);
    is_exhausted(context, request).await
}

/// The requests have a form error: before the minute is used up they do nothing.
async fn minute_ends(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    CaseOutcome::missing_if(!context.judges("A.order"), "a request that may be repeated")?;
    let request = with_unknown_parameter(subject.own(context).with(&context.key(Role::Tight)?));
    for _ in 0..MAX_REQUESTS {
        let response = context.send_at_once(request.clone()).await?;
        if response.status == 429 {
            context.snapshot(&response);
            return context.is_error(&response, RATE_LIMITED);
        }
        context.is_error(&response, VALIDATION_FAILED)?;
    }
    let what = format!("an organisation with fewer than {MAX_REQUESTS} requests a minute");
    Err(CaseOutcome::missing(what))
}

async fn is_exhausted(context: &mut CaseContext<'_>, request: Request) -> CaseResult {
    let response = context.send(request).await?;
    context.is_error(&response, API_CREDITS_EXHAUSTED)?;
    context.snapshot(&response);
    shows_that_nothing_remains(&response)?;
    if !context.with_decisions() {
        return Ok(());
    }
    let seconds = response.at("/error/details/retryAfterSeconds").as_u64();
    response.that(
        seconds == response.number(RETRY_AFTER) && seconds.is_some(),
        "details.retryAfterSeconds and retry-after differ.",
        response.header(RETRY_AFTER).unwrap_or("a number"),
        &format!("{seconds:?}"),
    )
}

fn shows_that_nothing_remains(response: &Response) -> CaseResult {
    let remaining = response.header(CREDITS_REMAINING).unwrap_or("none");
    response.that(
        remaining == "0" && response.header(CREDIT_LIMIT).is_some(),
        "A 402 does not show the allowance, and that nothing remains of it.",
        &format!("{CREDIT_LIMIT}, and {CREDITS_REMAINING}: 0"),
        remaining,
    )
}
