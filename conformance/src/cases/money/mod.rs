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
    case::{Scene, Stop},
    exchange::{Answer, Call},
};

/// An id of nobody.
pub(super) const NOBODY: &str = "nobody-has-this-id";

/// GET of a payout.
pub(super) fn payout(scene: &Scene<'_>, id: &str) -> Result<Call, Stop> {
    Ok(Call::get(format!("/api/v1/payouts/{id}")).with(&scene.all()?))
}

/// What a payout shows of its own: its partner's name is the partner's, which another run may have borrowed just now.
pub(super) fn own(payout: &Answer) -> Value {
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
pub(super) fn instant(answer: &Answer, pointer: &str) -> Result<DateTime<Utc>, Stop> {
    let text = answer.text(pointer);
    let read = DateTime::parse_from_rfc3339(text).map(|at| at.to_utc());
    read.map_err(|_| {
        Stop::failed(
            format!("There is no date-time at {pointer}."),
            "an ISO 8601 date-time",
            answer.at(pointer).to_string(),
            Some(answer.exchange),
        )
    })
}

/// When an answer was given by the deployment's own clock, down to its second; by ours where it does not tell.
pub(super) fn told_at(answer: &Answer) -> DateTime<Utc> {
    let date = answer.header("date");
    let read = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    read.map_or_else(Utc::now, |at| at.to_utc())
}

/// What several calls at once need to be left of their minute.
const LEFT: u64 = 20;

/// Makes several calls at once, in a minute that has room for them.
async fn in_one_minute(scene: &mut Scene<'_>, calls: Vec<Call>) -> Result<Vec<Answer>, Stop> {
    let probe = Call::get("/api/v1/partners?limit=1").with(&scene.all()?);
    let probe = scene.send(probe).await?;
    if probe.number("x-ratelimit-remaining-minute") < Some(LEFT) {
        scene.deployment().pace.wait_for_next_minute().await;
    }
    scene.send_all(calls).await
}

fn too_small_a_minute() -> Stop {
    Stop::missing(format!(
        "a per-minute allowance of more than {LEFT} requests"
    ))
}

/// Makes several calls at once. Those that are refused for the minute are left out.
///
/// # Errors
/// A call got no answer, or fewer than two were let through.
pub(super) async fn at_once(scene: &mut Scene<'_>, calls: Vec<Call>) -> Result<Vec<Answer>, Stop> {
    let mut answers = in_one_minute(scene, calls).await?;
    answers.retain(|answer| answer.status != 429);
    if answers.len() < 2 {
        return Err(too_small_a_minute());
    }
    Ok(answers)
}

/// Makes several unlike calls at once, and answers with what came for each of them.
///
/// # Errors
/// A call got no answer, or was refused for the minute.
pub(super) async fn each_at_once<const COUNT: usize>(
    scene: &mut Scene<'_>,
    calls: [Call; COUNT],
) -> Result<[Answer; COUNT], Stop> {
    let answers = in_one_minute(scene, calls.to_vec()).await?;
    if answers.iter().any(|answer| answer.status == 429) {
        return Err(too_small_a_minute());
    }
    answers.try_into().map_err(|_| too_small_a_minute())
}
