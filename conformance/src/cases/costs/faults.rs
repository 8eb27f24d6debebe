//! Faults of what is counted (§8, A6–A8): refusals that cost a credit, limits that do not hold.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::{
    exchange::{
        Request, Response,
        headers::{CREDITS_REMAINING, RATE_REMAINING},
    },
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
    target::Role,
};

/// The time in which concurrent requests share a credit.
const SHARED_WITHIN: Duration = Duration::from_millis(50);

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("not-found-given-back", "A7").says("A 404 gives its credit back.").edit_with(
        &|request, response, upstream| {
            let is_metered = response.headers.contains_key(CREDITS_REMAINING);
            let cost = -i64::from(response.has_status(404) && is_metered);
            upstream.charge(request, response, cost);
        },
    ),
    fault("statement-given-back", "A6")
        .says("The credit of a statement is given back after the answer has reported it spent.")
        .edit_with(&|request, response, upstream| {
            let cost = -i64::from(request.is("generateStatement") && response.has_status(200));
            upstream.charge(request, response, cost);
        }),
    fault("credits-overspent", "A8")
        .says("Requests at once share the last credit.")
        .exchange(&|request, upstream| Box::pin(credits_overspent(request, upstream))),
    fault("rate-not-enforced", "§8")
        .says("Requests above the minute's limit are answered.")
        .needs(&[Role::All])
        .exchange(&|request, upstream| Box::pin(rate_not_enforced(request, upstream))),
    fault("minute-ends-early", "§8")
        .says("The last request of a minute's allowance gets 429.")
        .exchange(&|request, upstream| Box::pin(minute_ends_early(request, upstream))),
    fault("minute-ends-late", "§8")
        .says("A request beyond the minute's allowance is answered.")
        .exchange(&|request, upstream| Box::pin(minute_ends_late(request, upstream))),
    fault("minute-counts-one-more", "§8")
        .says("`x-ratelimit-remaining-minute` is one less than what remains.")
        .edit(&|_, response| {
            if let Some(left) = response.number(RATE_REMAINING) {
                response.set_number(RATE_REMAINING, left.saturating_sub(1));
            }
        }),
    fault("rate-limited-charged", "A7").says("A 429 costs a credit.").edit_with(
        &|request, response, upstream| {
            upstream.charge(request, response, response.has_status(429).into());
        },
    ),
];

/// The last success of each organisation, and when it was answered.
#[derive(Default)]
struct Successes(HashMap<Role, (Instant, Response)>);

/// The response to each organisation's last request of a minute, until another one comes.
#[derive(Default)]
struct Lasts(HashMap<Role, Response>);

/// Remembers a success; the second value is the organisation's success before it.
fn remembered(
    request: &Request,
    upstream: &Upstream,
    response: Response,
) -> (Response, Option<(Instant, Response)>) {
    let organization = upstream.organization(request);
    let before = upstream.remember(|Successes(successes)| {
        let before = successes.get(&organization).cloned();
        if response.has_status(200) && request.operation().is_some() {
            successes.insert(organization, (Instant::now(), response.clone()));
        }
        before
    });
    (response, before)
}

async fn credits_overspent(request: Request, upstream: &Upstream) -> Response {
    let begun = Instant::now();
    let response = upstream.send(&request).await;
    if response.has_status(402) {
        // The last credit may be answered a moment later than the refusals beside it.
        tokio::time::sleep(SHARED_WITHIN).await;
    }
    let (response, before) = remembered(&request, upstream, response);
    match before {
        Some((answered, success)) if response.has_status(402) && begun < answered => success,
        _ => response,
    }
}

/// Answers with the organisation's last success, or before the first one with what `all` gets.
async fn rate_not_enforced(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    let (mut response, before) = remembered(&request, upstream, response);
    match before {
        Some((_, success)) if response.has_status(429) => success,
        None if response.has_status(429) => {
            let other = upstream.send(&upstream.in_role(Role::All, &request)).await;
            response.take_content(other);
            response
        }
        _ => response,
    }
}

async fn minute_ends_early(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    match response.number(RATE_REMAINING) {
        // Beyond the allowance, the same request gets what the deployment says of that.
        Some(0) if !response.has_status(429) => upstream.send(&request).await,
        _ => response,
    }
}

/// Answers the first request beyond an allowance as the one before it.
async fn minute_ends_late(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    let organization = upstream.organization(&request);
    let last = upstream.remember(|Lasts(lasts)| {
        if response.number(RATE_REMAINING) == Some(0) && !response.has_status(429) {
            lasts.insert(organization, response.clone());
            None
        } else {
            lasts.remove(&organization)
        }
    });
    match last {
        Some(mut last) if response.has_status(429) => {
            let credits = last.number(CREDITS_REMAINING).map(|left| left.saturating_sub(1));
            credits.into_iter().for_each(|left| last.set_number(CREDITS_REMAINING, left));
            last
        }
        _ => response,
    }
}
