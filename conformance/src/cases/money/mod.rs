//! Requests and values that cases about lines, payouts, statements and links share.

pub(super) mod account;
pub(super) mod document;

use crate::cases::prelude::*;
use chrono::{DateTime, Utc};

pub(super) fn payout(context: &CaseContext<'_>, id: &str) -> CaseResult<Request> {
    Ok(Request::get(format!("/api/v1/payouts/{id}")).with(&context.all()?))
}

pub(super) fn instant(response: &Response, pointer: &str) -> CaseResult<DateTime<Utc>> {
    let text = response.text(pointer);
    let read = DateTime::parse_from_rfc3339(text).map(|at| at.to_utc());
    read.map_err(|_| {
        CaseOutcome::failed(
            format!("There is no date-time at {pointer}."),
            "an ISO 8601 date-time",
            response.at(pointer).to_string(),
            Some(response.exchange),
        )
    })
}

/// Requests that must remain of a minute for concurrent ones.
const LEFT: u64 = 20;

/// Sends concurrent requests, in a minute that has room for them.
async fn in_one_minute(
    context: &mut CaseContext<'_>,
    requests: Vec<Request>,
) -> CaseResult<Vec<Response>> {
    let probe = Request::get(LIST).with(&context.all()?);
    context.send(probe.clone()).await?;
    context.deployment().pace.wait_for_room(&probe, LEFT).await?;
    context.send_all(requests).await
}

fn too_small_a_minute() -> CaseOutcome {
    CaseOutcome::missing(format!("a per-minute allowance of more than {LEFT} requests"))
}

/// Sends concurrent requests. Responses of 429 are left out.
/// A request got no response. Skipped: fewer than two responses are left.
pub(super) async fn concurrently(
    context: &mut CaseContext<'_>,
    requests: Vec<Request>,
) -> CaseResult<Vec<Response>> {
    let mut responses = in_one_minute(context, requests).await?;
    responses.retain(|response| response.status != 429);
    if responses.len() < 2 {
        return Err(too_small_a_minute());
    }
    Ok(responses)
}

/// Sends concurrent requests, and returns the response to each.
/// A request got no response. Skipped: one got 429.
pub(super) async fn each_concurrently<const COUNT: usize>(
    context: &mut CaseContext<'_>,
    requests: [Request; COUNT],
) -> CaseResult<[Response; COUNT]> {
    let responses = in_one_minute(context, requests.to_vec()).await?;
    if responses.iter().any(|response| response.status == 429) {
        return Err(too_small_a_minute());
    }
    responses.try_into().map_err(|_| too_small_a_minute())
}
