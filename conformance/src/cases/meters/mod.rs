//! Minutes and credits (§7, §8, A4–A9): what is counted, and what the headers say of it. [`ends`]
//! is about used-up minutes and months.

mod ends;

use crate::cases::prelude::*;

/// Responses to an organisation without an allowance have no credit headers.
#[case("§8.credit-headers", keys(Unlimited))]
async fn unlimited(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.key(Role::Unlimited)?;
    let response = context.ok(Request::get(LIST).with(&key)).await?;
    for name in [CREDIT_LIMIT, CREDITS_REMAINING] {
        let shown = response.header(name);
        response.that(
            shown.is_none(),
            "The allowance is unlimited, and there is a credit header.",
            &format!("no {name}"),
            shown.unwrap_or_default(),
        )?;
    }
    context.snapshot(&response);
    Ok(())
}

fn remaining(response: &Response, name: &str) -> CaseResult<u64> {
    let number = response.number(name);
    number.ok_or_else(|| {
        CaseOutcome::failed(
            format!("The header {name} is missing."),
            "a number",
            "none",
            Some(response.exchange),
        )
    })
}

const TRIES: usize = 12;

/// Concurrent requests each show another number of remaining credits: they were counted in some
/// order.
#[case("A8", exclusive, requests = 12)]
async fn none_twice(context: &mut CaseContext<'_>) -> CaseResult {
    const CONCURRENT: usize = 12;
    let request = Request::get(LIST).with(&context.all()?);
    let responses = context.send_all(vec![request; CONCURRENT]).await?;
    let shown = responses
        .iter()
        .filter(|response| response.status == 200)
        .map(|response| remaining(response, CREDITS_REMAINING));
    let mut shown = shown.collect::<CaseResult<Vec<u64>>>()?;
    shown.sort_unstable();
    if shown.windows(2).all(|pair| pair[0] != pair[1]) {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        format!("Several of {CONCURRENT} concurrent requests show the same remaining credits."),
        "another number in each response",
        format!("{shown:?}"),
        None,
    ))
}

/// Each request lowers what remains of the minute.
#[case("§8.rate-headers", exclusive, requests = 60)]
async fn minute_counts_down(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST);
    let twice = |key: &Secret| [request.clone().with(key), request.clone().with(key)];
    counts_down(context, twice(&context.all()?), 200).await?;
    // For a rejected request, too.
    match context.key(Role::AffiliateWrite) {
        Ok(key) if context.with_decisions() => counts_down(context, twice(&key), 403).await,
        _ => Ok(()),
    }
}

/// Each request without a valid key lowers what remains for its client address.
#[case("A5", exclusive, requests = 24)]
async fn address_counts_down(context: &mut CaseContext<'_>) -> CaseResult {
    counts_down(context, [Request::get(LIST), Request::get(LIST)], 401).await?;
    // An unknown path counts for the address, with a key too.
    let unknown = Request::get("/api/v1/unknown");
    let with_key = unknown.clone().with(&context.all()?);
    counts_down(context, [unknown, with_key], 404).await
}

/// Requires that of two requests in one minute the second shows less. Tries again, because the
/// deployment's minute may end between them.
pub(super) async fn counts_down(
    context: &mut CaseContext<'_>,
    [first, second]: [Request; 2],
    status: u16,
) -> CaseResult {
    let mut messages = Vec::new();
    for _ in 0..TRIES {
        let before = context.send(first.clone()).await?;
        let after = context.send(second.clone()).await?;
        before.is(status)?;
        after.is(status)?;
        let limits = [&before, &after].map(|response| response.header(RATE_LIMIT));
        let limits = limits.map(|limit| limit.unwrap_or("none"));
        let what = "The minute's allowance differs from one request to the next.";
        after.same(what, limits[0], limits[1])?;
        let (left, now) = (remaining(&before, RATE_REMAINING)?, remaining(&after, RATE_REMAINING)?);
        if now < left {
            return Ok(());
        }
        messages.push(format!("{left}, then {now}"));
    }
    Err(CaseOutcome::failed(
        "What remains of the minute does not fall from one request to the next.",
        "less after each request",
        messages.join("\n"),
        None,
    ))
}
