//! Faults of what is counted (§8, A6–A8): refusals that cost a credit, limits that do not hold.

use std::time::{Duration, Instant};

use crate::proxy::prelude::*;

/// The time in which concurrent requests share a credit.
const SHARED_WITHIN: Duration = Duration::from_millis(50);

/// A 404 gives its credit back.
#[fault("A7")]
fn not_found_given_back(request: &Request, response: &mut Response, upstream: &Upstream) {
    let is_metered = response.headers.contains_key(CREDITS_REMAINING);
    let cost = -i64::from(response.has_status(404) && is_metered);
    upstream.charge(request, response, cost);
}

/// The credit of a statement is given back after the answer has reported it spent.
#[fault("A6")]
fn statement_given_back(request: &Request, response: &mut Response, upstream: &Upstream) {
    let cost = -i64::from(request.is("generateStatement") && response.has_status(200));
    upstream.charge(request, response, cost);
}

/// A 429 costs a credit.
#[fault("A7")]
fn rate_limited_charged(request: &Request, response: &mut Response, upstream: &Upstream) {
    upstream.charge(request, response, response.has_status(429).into());
}

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

/// Requests at once share the last credit.
#[fault("A8")]
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

/// Requests above the minute's limit are answered.
#[fault("§8", needs(All))]
async fn rate_not_enforced(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    let (mut response, before) = remembered(&request, upstream, response);
    match before {
        // Before the first success, what `all` gets stands for it.
        Some((_, success)) if response.has_status(429) => success,
        None if response.has_status(429) => {
            let other = upstream.send(&upstream.in_role(Role::All, &request)).await;
            response.take_content(other);
            response
        }
        _ => response,
    }
}

/// The last request of a minute's allowance gets 429.
#[fault("§8")]
async fn minute_ends_early(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    match response.number(RATE_REMAINING) {
        // Beyond the allowance, the same request gets what the deployment says of that.
        Some(0) if !response.has_status(429) => upstream.send(&request).await,
        _ => response,
    }
}

/// A request beyond the minute's allowance is answered.
#[fault("§8")]
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
