//! Used-up minutes and months: what a request gets when nothing remains, and which checks come
//! before. A minute that ended meanwhile is not taken for one that was not enforced.

use chrono::{DateTime, Timelike as _};

use super::remaining;
use crate::cases::prelude::*;

const WRONG_FORM: &str = "/api/v1/partners?limit=0";

/// Requests that are sent at most to use up a minute.
const MAX_REQUESTS: usize = 40;

/// Whether a minute (A4: of UTC) ends this many seconds after the response, by its date where it
/// has one.
fn is_rest_of_minute(response: &Response, seconds: u64) -> bool {
    /// The date has whole seconds, the rest of a minute is rounded up, and a response takes time.
    const ROUNDED_SECONDS: u64 = 2;
    let date = response.header("date");
    let date = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let is_near = |date: DateTime<_>| {
        let ends = u64::from(date.second()) + seconds;
        ends.abs_diff(60) <= ROUNDED_SECONDS || ends <= ROUNDED_SECONDS
    };
    (1..=60).contains(&seconds) && date.is_none_or(is_near)
}

/// A request beyond the minute's allowance gets 429, with nothing remaining and no credit charged.
#[case("§8.minute", keys(Tight), changes = Allowance, requests = 80)]
async fn minute_ends(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.key(Role::Tight)?;
    let first = context.send_at_once(Request::get(LIST).with(&key)).await?;
    let limit = remaining(&first, RATE_LIMIT)?;
    CaseOutcome::missing_if(
        usize::try_from(limit).unwrap_or(usize::MAX) > MAX_REQUESTS / 2,
        format!(
            "an organisation with at most {} requests a minute for the role tight",
            MAX_REQUESTS / 2
        ),
    )?;
    let mut credits = first.number(CREDITS_REMAINING);
    for _ in 0..MAX_REQUESTS {
        let response = context.send_at_once(Request::get(LIST).with(&key)).await?;
        if response.status == 429 {
            let seconds = response.at("/error/details/retryAfterSeconds").as_u64();
            response.that(
                !context.judges("A4")
                    || seconds.is_some_and(|seconds| is_rest_of_minute(&response, seconds)),
                "A 429 does not say how long the minute lasts.",
                "details.retryAfterSeconds, from 1 to 60: until the next minute of UTC",
                &format!("{seconds:?} at {}", response.header("date").unwrap_or("no date")),
            )?;
            return if context.judges("A.order") {
                minute_before_form(context, &key).await
            } else {
                Ok(())
            };
        }
        response.is(200)?;
        let now = response.number(CREDITS_REMAINING);
        response.that(
            credits.is_none() || now < credits || !context.judges("A6"),
            "A request in the minute cost no credit.",
            &format!("less than {credits:?}"),
            &format!("{now:?}"),
        )?;
        credits = now;
    }
    Err(CaseOutcome::failed(
        "The per-minute allowance is not enforced.",
        format!("a 429 after {limit} requests in a minute"),
        format!("{MAX_REQUESTS} responses of 200"),
        None,
    ))
}

/// That in a used-up minute a request with a form error gets 429.
async fn minute_before_form(context: &mut CaseContext<'_>, key: &Secret) -> CaseResult {
    let request = Request::get(WRONG_FORM).with(key);
    let broken = context.send_at_once(request).await?;
    // The minute may have ended before it came; then the next request passes.
    let next = context.send_at_once(Request::get(LIST).with(key)).await?;
    broken.that(
        broken.status == 429 || next.status != 429,
        "In a used-up minute a request with a form error gets that error.",
        "429, as the request after it",
        &broken.status_line(),
    )
}
