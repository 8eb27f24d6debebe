//! Minutes and credits (§7, §8, A4–A9): what is counted, and what is told of it. [`ends`] is about the end of either.

mod ends;

use chrono::Utc;

use super::{keys::every_request, money::lease::calm};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Request, Response},
    target::{Fixture, Role},
};
use ends::{exhausted, exhausted_before_resource, exhausted_form_first, minute_ends};

const LIST: &str = "/api/v1/partners?limit=1";
const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "meters.exhausted",
        "Without credits left every operation is answered 402, with retry-after and 0 remaining.",
        "§7.402",
        calm!(exhausted),
    )
    .keys(&[Role::Exhausted])
    .changes(Changes::Allowance)
    .requests(8),
    Case::new(
        "meters.exhausted-form-first",
        "A request whose form is wrong is told so before its credits are looked at.",
        "A.order",
        calm!(exhausted_form_first),
    )
    .keys(&[Role::All, Role::Exhausted])
    .requests(12),
    Case::new(
        "meters.exhausted-before-resource",
        "Without credits an id of nobody is answered 402, and not 404.",
        "A.order",
        calm!(exhausted_before_resource),
    )
    .keys(&[Role::Exhausted]),
    Case::new(
        "meters.unlimited",
        "An organisation without an allowance has no credit headers.",
        "§8.credit-headers",
        runs!(unlimited),
    )
    .keys(&[Role::Unlimited]),
    Case::new(
        "meters.metered",
        "A metered response tells the allowance and what remains of it.",
        "A9",
        runs!(metered),
    )
    .fixtures(&[Fixture::Payout]),
    Case::new(
        "meters.each-costs-one",
        "Each metered request lowers what remains, by one where nobody else asks.",
        "A6",
        runs!(each_costs_one),
    )
    .counts()
    .requests(52),
    Case::new(
        "meters.not-found-costs",
        "A 404 of a resource costs its credit, and says so.",
        "A7",
        runs!(not_found_costs),
    ),
    Case::new(
        "meters.minute-ends",
        "Who exceeds the minute's allowance is answered 429, with nothing left and no credit taken.",
        "§8.minute",
        runs!(minute_ends),
    )
    .keys(&[Role::Tight])
    .changes(Changes::Allowance)
    .requests(80),
    Case::new(
        "meters.minute-counts-down",
        "Each request lowers what remains of the minute.",
        "§8.rate-headers",
        runs!(minute_counts_down),
    )
    .counts()
    .requests(60),
    Case::new(
        "meters.rate-headers-everywhere",
        "The rate headers stand on every status of every operation.",
        "§8.rate-headers",
        runs!(rate_headers_everywhere),
    )
    .requests(16),
    Case::new(
        "meters.address-counts-down",
        "Without a valid key, each request lowers what remains for its address.",
        "A5",
        runs!(address_counts_down),
    )
    .counts()
    .requests(24),
];

async fn unlimited(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::Unlimited)?;
    let response = context.send(Request::get(LIST).with(&key)).await?;
    response.is(200)?;
    for name in [CREDIT_LIMIT, CREDITS_REMAINING] {
        let told = response.header(name);
        response.that(
            told.is_none(),
            "The allowance is unlimited, and there is a credit header.",
            &format!("no {name}"),
            told.unwrap_or_default(),
        )?;
    }
    context.snapshot(&response);
    Ok(())
}

async fn metered(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let payout = context.fixture(Fixture::Payout)?;
    let requests = [
        Request::get(LIST),
        Request::get("/api/v1/commission-lines?limit=1"),
        Request::get(format!("/api/v1/payouts/{payout}")),
    ];
    for request in requests {
        let response = context.send(request.with(&key)).await?;
        response.is(200)?;
        has_credits(&response)?;
    }
    Ok(())
}

fn has_credits(response: &Response) -> Result<(), CaseOutcome> {
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

fn remaining(response: &Response, name: &str) -> Result<u64, CaseOutcome> {
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

/// Others may ask meanwhile, so that more than one is gone; but in one of some tries nobody does.
const TRIES: usize = 12;

async fn each_costs_one(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let mut least = u64::MAX;
    let mut before = context.send(Request::get(LIST).with(&key)).await?;
    for _ in 0..TRIES {
        let after = context.send(Request::get(LIST).with(&key)).await?;
        after.is(200)?;
        let (left, now) = (
            remaining(&before, CREDITS_REMAINING)?,
            remaining(&after, CREDITS_REMAINING)?,
        );
        after.that(
            now < left || is_new_month(&before, &after),
            "What remains did not fall.",
            &format!("less than {left}"),
            &now.to_string(),
        )?;
        least = least.min(left.saturating_sub(now));
        before = after;
    }
    // Beside other clients several credits go at once; never none.
    before.that(
        least >= 1,
        "A request cost no credit.",
        "at least 1",
        &least.to_string(),
    )?;
    if context.with_decisions() {
        none_twice(context).await?;
    }
    Ok(())
}

/// Of requests at once, too, each tells another number: there is an order in which they were counted (A8).
async fn none_twice(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    const AT_ONCE: usize = 12;
    let request = Request::get(LIST).with(&context.all()?);
    let responses = context.send_all(vec![request; AT_ONCE]).await?;
    let told = responses
        .iter()
        .filter(|response| response.status == 200)
        .map(|response| remaining(response, CREDITS_REMAINING));
    let mut told = told.collect::<Result<Vec<u64>, CaseOutcome>>()?;
    told.sort_unstable();
    if told.windows(2).all(|pair| pair[0] != pair[1]) {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        format!("Of {AT_ONCE} requests at once several tell that the same is left."),
        "another number in each response",
        format!("{told:?}"),
        None,
    ))
}

fn is_new_month(before: &Response, after: &Response) -> bool {
    before.number(CREDITS_REMAINING) < after.number(CREDITS_REMAINING)
        && Utc::now().format("%d %H:%M").to_string() == "01 00:00"
}

async fn not_found_costs(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let response = context
        .send(Request::get("/api/v1/payouts/nobody-has-this-id").with(&key))
        .await?;
    response.is(404)?;
    has_credits(&response)
}

async fn minute_counts_down(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST);
    let ours = request.clone().with(&context.all()?);
    counts_down(context, [ours.clone(), ours], 200).await?;
    // For the key that is refused, too.
    match context.key(Role::AffiliateWrite) {
        Ok(key) if context.with_decisions() => {
            counts_down(
                context,
                [request.clone().with(&key), request.with(&key)],
                403,
            )
            .await
        }
        _ => Ok(()),
    }
}

async fn address_counts_down(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    counts_down(context, [Request::get(LIST), Request::get(LIST)], 401).await?;
    // A path that nobody has is nobody's key's either.
    let unknown = Request::get("/api/v1/unknown");
    let with_key = unknown.clone().with(&context.all()?);
    counts_down(context, [unknown, with_key], 404).await
}

/// Two requests in one minute: the second tells less. The deployment's minute may end between them, and its clock may not be
/// ours; but not every time.
async fn counts_down(
    context: &mut CaseContext<'_>,
    [first, second]: [Request; 2],
    status: u16,
) -> Result<(), CaseOutcome> {
    let mut told = Vec::new();
    for _ in 0..TRIES {
        let before = context.send(first.clone()).await?;
        let after = context.send(second.clone()).await?;
        before.is(status)?;
        after.is(status)?;
        let limits = [&before, &after].map(|response| response.header(RATE_LIMIT));
        after.that(
            limits[0] == limits[1],
            "The minute's allowance is another from one request to the next.",
            limits[0].unwrap_or("none"),
            limits[1].unwrap_or("none"),
        )?;
        let (left, now) = (
            remaining(&before, RATE_REMAINING)?,
            remaining(&after, RATE_REMAINING)?,
        );
        if now < left {
            return Ok(());
        }
        told.push(format!("{left}, then {now}"));
    }
    Err(CaseOutcome::failed(
        "What remains of the minute does not fall from one request to the next.",
        "less after each request",
        told.join("\n"),
        None,
    ))
}

async fn rate_headers_everywhere(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // The invariants look at every response: here each operation is made to answer 401, 404 or 200, and 422.
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
