//! The end of a minute: the requests of its allowance are answered, and the next one is not.

use chrono::{DateTime, Timelike as _};

use super::remaining;
use crate::cases::prelude::*;

/// Requests that are sent at most to use up a minute.
const MAX_REQUESTS: usize = 40;
/// Minutes that are used up at most: other cases may have sent requests in the first.
const MINUTES: usize = 3;

/// Returns true if a minute (A4: of UTC) ends this many seconds after the response, by its date
/// where it has one.
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

/// The last request of a minute's allowance is answered with nothing remaining, and the next gets
/// 429.
#[case("§8.minute", keys(Tight), changes = Allowance, requests = 123)]
async fn minute_ends(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.key(Role::Tight)?);
    for minute in 1..=MINUTES {
        let (limit, answered) = use_up(context, &request).await?;
        // Only A4 fixes when a minute begins: elsewhere one may begin after any request.
        if !context.judges("A4") {
            return Ok(());
        }
        let left = last_minute(&answered);
        if counts_down(left, limit) {
            return Ok(());
        }
        let is_whole = minute > 1 || is_surely_whole(left, limit);
        if is_whole && !left.is_empty() {
            return Err(CaseOutcome::failed(
                "A minute ends before the last request of its allowance, or after it.",
                "one request less remaining in each response of the allowance, and then a 429",
                format!("{left:?}, then 429"),
                None,
            ));
        }
        if minute < MINUTES {
            context.deployment().pace.wait_for_next_minute(&request).await?;
        }
    }
    Err(CaseOutcome::missing("a whole minute of tight (none is left)"))
}

/// Sends requests until one gets 429; returns the minute's allowance, and what each of the others
/// shows to remain.
async fn use_up(context: &mut CaseContext<'_>, request: &Request) -> CaseResult<(u64, Vec<u64>)> {
    let mut answered = Vec::new();
    let mut credits = None;
    for _ in 0..MAX_REQUESTS {
        let response = context.send_at_once(request.clone()).await?;
        let limit = remaining(&response, RATE_LIMIT)?;
        CaseOutcome::missing_if(
            usize::try_from(limit).unwrap_or(usize::MAX) > MAX_REQUESTS / 2,
            format!(
                "an organisation with at most {} requests a minute for the role tight",
                MAX_REQUESTS / 2
            ),
        )?;
        if response.status == 429 {
            says_how_long(context, &response)?;
            return Ok((limit, answered));
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
        answered.push(remaining(&response, RATE_REMAINING)?);
    }
    Err(CaseOutcome::failed(
        "The per-minute allowance is not enforced.",
        "a 429 beyond the allowance",
        format!("{MAX_REQUESTS} responses of 200"),
        None,
    ))
}

/// The numbers of the last minute: they rise where one begins.
fn last_minute(answered: &[u64]) -> &[u64] {
    let before = answered.windows(2).rposition(|pair| pair[0] < pair[1]);
    &answered[before.map_or(0, |before| before + 1)..]
}

fn counts_down(left: &[u64], limit: u64) -> bool {
    left.iter().copied().eq((0..limit).rev())
}

/// Returns true if the numbers begin with a minute, and with one alone: where the first stands
/// twice, the first request may have been the only one in the minute before.
fn is_surely_whole(left: &[u64], limit: u64) -> bool {
    left.first().is_some_and(|first| first + 1 == limit) && !counts_down(&left[1..], limit)
}

fn says_how_long(context: &CaseContext<'_>, response: &Response) -> CaseResult {
    let seconds = response.at("/error/details/retryAfterSeconds").as_u64();
    response.that(
        !context.judges("A4")
            || seconds.is_some_and(|seconds| is_rest_of_minute(response, seconds)),
        "A 429 does not say how long the minute lasts.",
        "details.retryAfterSeconds, from 1 to 60: until the next minute of UTC",
        &format!("{seconds:?} at {}", response.header("date").unwrap_or("no date")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_request_in_the_minute_before_is_no_fault_of_the_next() {
        assert!(!is_surely_whole(last_minute(&[2, 2, 1, 0]), 3));
        assert!(counts_down(last_minute(&[1, 2, 1, 0]), 3));
        for of_a_whole_minute in [&[2, 1][..], &[2, 2, 2], &[2, 1, 0, 0]] {
            assert!(is_surely_whole(last_minute(of_a_whole_minute), 3), "{of_a_whole_minute:?}");
        }
    }
}
