//! What the cases about lines, payouts, statements and links work with alike.
//!
//! It refuses cases of its own.
//!
//! | file | owns |
//! |---|---|
//! | [`account`] | a payout with its lines, of one instant |
//! | [`dataset`] | the project's data set, for deployments that hold it |
//! | [`document`] | a statement with its bytes |
//! | [`lease`] | one run at a time where hooks change something |
//! | [`pdf`] | the text of a PDF |
//! | [`walk`] | pages of lines |

pub(super) mod account;
pub(super) mod dataset;
pub(super) mod document;
pub(super) mod lease;
pub(super) mod pdf;
pub(super) mod walk;

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::{Request, Response},
};

/// An id of nobody.
pub(super) const NOBODY: &str = "nobody-has-this-id";

/// GET of a payout.
pub(super) fn payout(context: &CaseContext<'_>, id: &str) -> Result<Request, CaseOutcome> {
    Ok(Request::get(format!("/api/v1/payouts/{id}")).with(&context.all()?))
}

/// What a payout shows of its own: its partner's name is the partner's, which another run may have borrowed just now.
pub(super) fn own(payout: &Response) -> Value {
    let mut shown = payout.at("/data").clone();
    if let Some(partner) = shown.get_mut("partner").and_then(Value::as_object_mut) {
        partner.remove("name");
    }
    shown
}

/// The instant at a JSON pointer.
///
/// # Errors
/// There is none.
pub(super) fn instant(response: &Response, pointer: &str) -> Result<DateTime<Utc>, CaseOutcome> {
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

/// When an response was given by the deployment's own clock, down to its second; by ours where it does not tell.
pub(super) fn told_at(response: &Response) -> DateTime<Utc> {
    let date = response.header("date");
    let read = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    read.map_or_else(Utc::now, |at| at.to_utc())
}

/// What several requests at once need to be left of their minute.
const LEFT: u64 = 20;

/// Makes several requests at once, in a minute that has room for them.
async fn in_one_minute(
    context: &mut CaseContext<'_>,
    requests: Vec<Request>,
) -> Result<Vec<Response>, CaseOutcome> {
    let probe = Request::get("/api/v1/partners?limit=1").with(&context.all()?);
    let probe = context.send(probe).await?;
    if probe.number("x-ratelimit-remaining-minute") < Some(LEFT) {
        context.deployment().pace.wait_for_next_minute().await;
    }
    context.send_all(requests).await
}

fn too_small_a_minute() -> CaseOutcome {
    CaseOutcome::missing(format!(
        "a per-minute allowance of more than {LEFT} requests"
    ))
}

/// Makes several requests at once. Those that are refused for the minute are left out.
///
/// # Errors
/// A request got no response, or fewer than two were let through.
pub(super) async fn at_once(
    context: &mut CaseContext<'_>,
    requests: Vec<Request>,
) -> Result<Vec<Response>, CaseOutcome> {
    let mut responses = in_one_minute(context, requests).await?;
    responses.retain(|response| response.status != 429);
    if responses.len() < 2 {
        return Err(too_small_a_minute());
    }
    Ok(responses)
}

/// Makes several unlike requests at once, and answers with what came for each of them.
///
/// # Errors
/// A request got no response, or was refused for the minute.
pub(super) async fn each_at_once<const COUNT: usize>(
    context: &mut CaseContext<'_>,
    requests: [Request; COUNT],
) -> Result<[Response; COUNT], CaseOutcome> {
    let responses = in_one_minute(context, requests.to_vec()).await?;
    if responses.iter().any(|response| response.status == 429) {
        return Err(too_small_a_minute());
    }
    responses.try_into().map_err(|_| too_small_a_minute())
}
