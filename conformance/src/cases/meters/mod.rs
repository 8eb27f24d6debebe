//! Minutes and credits (§7, §8, A4–A9): what is counted, and what the headers say of it. [`ends`]
//! is about used-up minutes and months.

mod ends;

use chrono::Utc;

use super::keys::every_request;
use crate::cases::prelude::*;

const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
pub(super) const CASES: &[Case] = cases! { Case::ANY;
    { "meters.unlimited" "§8.credit-headers" run(unlimited)
      "Responses to an organisation without an allowance have no credit headers."
      .keys(&[Role::Unlimited]) }
    { "meters.metered" "A9" run(metered)
      "A metered response shows the allowance and what remains of it."
      .fixtures(&[Fixture::Payout]) }
    { "meters.each-costs-one" "A6" run(each_costs_one)
      "Each metered request lowers the remaining credits, by one where there is no other traffic."
      .exclusive().requests(52) }
    { "meters.not-found-costs" "A7" run(not_found_costs)
      "A 404 of a resource costs a credit and has the credit headers." }
    { "meters.minute-counts-down" "§8.rate-headers" run(minute_counts_down)
      "Each request lowers what remains of the minute." .exclusive().requests(60) }
    { "meters.rate-headers-everywhere" "§8.rate-headers" run(rate_headers_everywhere)
      "Responses of every operation have the rate headers." .requests(16) }
    { "meters.address-counts-down" "A5" run(address_counts_down)
      "Each request without a valid key lowers what remains for its client address."
      .exclusive().requests(24) }
};

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

async fn metered(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let payout = context.fixture(Fixture::Payout)?;
    let requests = [
        Request::get(LIST),
        Request::get("/api/v1/commission-lines?limit=1"),
        Request::get(format!("/api/v1/payouts/{payout}")),
    ];
    for request in requests {
        let response = context.ok(request.with(&key)).await?;
        has_credits(&response)?;
    }
    Ok(())
}

fn has_credits(response: &Response) -> CaseResult {
    for name in [CREDIT_LIMIT, CREDITS_REMAINING] {
        response.that(
            response.number(name).is_some(),
            "A metered response has no credit header.",
            &format!("{name}, a number"),
            response.header(name).unwrap_or("none"),
        )?;
    }
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

/// Other clients may spend credits meanwhile; but not in each of some tries.
const TRIES: usize = 12;

async fn each_costs_one(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let mut least = u64::MAX;
    let mut before = context.send(Request::get(LIST).with(&key)).await?;
    for _ in 0..TRIES {
        let after = context.ok(Request::get(LIST).with(&key)).await?;
        let (left, now) =
            (remaining(&before, CREDITS_REMAINING)?, remaining(&after, CREDITS_REMAINING)?);
        after.that(
            now < left || is_new_month(&before, &after),
            "What remains did not fall.",
            &format!("less than {left}"),
            &now.to_string(),
        )?;
        least = least.min(left.saturating_sub(now));
        before = after;
    }
    // With other clients several credits are spent at once; never none.
    before.that(least >= 1, "A request cost no credit.", "at least 1", &least.to_string())?;
    if context.with_decisions() {
        none_twice(context).await?;
    }
    Ok(())
}

/// That concurrent requests each show another number: they were counted in some order (A8).
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

fn is_new_month(before: &Response, after: &Response) -> bool {
    before.number(CREDITS_REMAINING) < after.number(CREDITS_REMAINING)
        && Utc::now().format("%d %H:%M").to_string() == "01 00:00"
}

async fn not_found_costs(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let request = Request::get(format!("/api/v1/payouts/{UNKNOWN_ID}")).with(&key);
    let response = context.send(request).await?;
    response.is(404)?;
    has_credits(&response)
}

async fn minute_counts_down(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST);
    let ours = request.clone().with(&context.all()?);
    counts_down(context, [ours.clone(), ours], 200).await?;
    // For a rejected request, too.
    match context.key(Role::AffiliateWrite) {
        Ok(key) if context.with_decisions() => {
            counts_down(context, [request.clone().with(&key), request.with(&key)], 403).await
        }
        _ => Ok(()),
    }
}

async fn address_counts_down(context: &mut CaseContext<'_>) -> CaseResult {
    counts_down(context, [Request::get(LIST), Request::get(LIST)], 401).await?;
    // An unknown path counts for the address, with a key too.
    let unknown = Request::get("/api/v1/unknown");
    let with_key = unknown.clone().with(&context.all()?);
    counts_down(context, [unknown, with_key], 404).await
}

/// That of two requests in one minute the second shows less. The deployment's minute may end
/// between them, and its clock may not be ours; but not every time.
async fn counts_down(
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
        after.that(
            limits[0] == limits[1],
            "The minute's allowance differs from one request to the next.",
            limits[0].unwrap_or("none"),
            limits[1].unwrap_or("none"),
        )?;
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

async fn rate_headers_everywhere(context: &mut CaseContext<'_>) -> CaseResult {
    // The invariants check these headers on every response; this case covers every operation.
    let key = context.all()?;
    for (_, request) in every_request() {
        let response = context.send(request.with(&key)).await?;
        for name in [RATE_LIMIT, RATE_REMAINING] {
            response.that(
                response.number(name).is_some(),
                "A rate header is missing.",
                name,
                "none",
            )?;
        }
    }
    Ok(())
}
