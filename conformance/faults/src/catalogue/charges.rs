//! Faults of what is counted (§8, A6–A8): refusals that cost a credit, limits that do not hold.

use std::{collections::HashMap, time::Instant};

use crate::{
    fault::{Fault, shows},
    message::{CREDITS_REMAINING, Request, Response},
    upstream::Upstream,
};

pub(super) const FAULTS: &[Fault] = &[
    Fault::exchange(
        "rate-limited-charged",
        "A7",
        "A 429 costs a credit.",
        shows!(rate_limited_charged),
    ),
    Fault::exchange(
        "forbidden-charged",
        "A7",
        "A 403 costs a credit.",
        shows!(forbidden_charged),
    ),
    Fault::exchange(
        "form-error-charged",
        "A7",
        "An error of the form costs a credit.",
        shows!(form_error_charged),
    ),
    Fault::exchange(
        "not-found-given-back",
        "A7",
        "A 404 gives its credit back.",
        shows!(not_found_given_back),
    ),
    Fault::exchange(
        "statement-given-back",
        "A6",
        "The credit of a statement is given back after the answer has reported it spent.",
        shows!(statement_given_back),
    ),
    Fault::exchange(
        "credits-overspent",
        "A8",
        "Requests at once share the last credit.",
        shows!(credits_overspent),
    ),
    Fault::exchange(
        "rate-not-enforced",
        "§8",
        "Requests above the minute's limit are answered.",
        shows!(rate_not_enforced),
    ),
];

/// Credits that each organisation lost, or got back where negative.
#[derive(Default)]
struct Charged(HashMap<&'static str, i64>);

/// The last success of each organisation, and when it was answered.
#[derive(Default)]
struct Successes(HashMap<&'static str, (Instant, Response)>);

fn organization(request: &Request, upstream: &Upstream) -> &'static str {
    upstream
        .keys()
        .organization(request.key().unwrap_or_default())
}

/// Sends the request, shows the organisation's credits without what was charged, and charges what this response costs.
async fn charged(
    request: &Request,
    upstream: &Upstream,
    cost: impl FnOnce(&Response) -> i64,
) -> Response {
    let mut response = upstream.send(request).await;
    let organization = organization(request, upstream);
    let charged = upstream.remember(|Charged(charged)| {
        let before = charged.entry(organization).or_default();
        let shown = *before;
        *before += cost(&response);
        shown
    });
    let remaining = response
        .number(&CREDITS_REMAINING)
        .filter(|_| !response.is(402));
    if let Some(remaining) = remaining {
        let remaining = remaining.saturating_add_signed(-charged);
        response.set_number(CREDITS_REMAINING, remaining);
    }
    response
}

async fn rate_limited_charged(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| response.is(429).into()).await
}

async fn forbidden_charged(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| response.is(403).into()).await
}

async fn form_error_charged(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| {
        let is_form_error = [400, 413, 415].contains(&response.status.as_u16())
            || response.is_error(422, "VALIDATION_FAILED");
        is_form_error.into()
    })
    .await
}

async fn not_found_given_back(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| {
        let is_metered = response.headers.contains_key(CREDITS_REMAINING);
        -i64::from(response.is(404) && is_metered)
    })
    .await
}

async fn statement_given_back(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| {
        -i64::from(request.is("generateStatement") && response.is(200))
    })
    .await
}

/// Sends the request and remembers a success; the second value is the organisation's success before it.
async fn remembered(
    request: &Request,
    upstream: &Upstream,
) -> (Response, Option<(Instant, Response)>) {
    let response = upstream.send(request).await;
    let organization = organization(request, upstream);
    let before = upstream.remember(|Successes(successes)| {
        let before = successes.get(organization).cloned();
        if response.is(200) && request.operation().is_some() {
            successes.insert(organization, (Instant::now(), response.clone()));
        }
        before
    });
    (response, before)
}

async fn credits_overspent(request: Request, upstream: &Upstream) -> Response {
    let begun = Instant::now();
    let (response, before) = remembered(&request, upstream).await;
    match before {
        Some((answered, success)) if response.is(402) && begun < answered => success,
        _ => response,
    }
}

async fn rate_not_enforced(request: Request, upstream: &Upstream) -> Response {
    let (response, before) = remembered(&request, upstream).await;
    match before {
        Some((_, success)) if response.is(429) => success,
        _ => response,
    }
}
