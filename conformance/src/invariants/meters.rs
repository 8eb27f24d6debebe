//! Rate headers, credit headers and `retry-after` are consistent with each other and the status.
//! Nothing is counted here, because other clients of the organisation are not known.

use chrono::{DateTime, Datelike as _, Months, NaiveTime, TimeDelta, Utc};

use super::Violation;
use crate::exchange::{Response, headers::*};

/// Difference between the deployment's clock and the suite's, with the time that a response takes.
const CLOCKS_APART: TimeDelta = TimeDelta::seconds(120);
/// Precision where the response has a date.
const ROUNDED: TimeDelta = TimeDelta::seconds(2);
/// The month of UTC is a decision: elsewhere a month begins so much earlier or later.
const ANY_ZONE: TimeDelta = TimeDelta::hours(14);
/// Statuses of responses that charge nothing.
const UNMETERED: [u16; 10] = [400, 401, 403, 405, 408, 413, 415, 429, 500, 503];

/// Judges a response that came at `now`, by the suite's clock.
pub(crate) fn judge(
    response: &Response,
    now: DateTime<Utc>,
    with_decisions: bool,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut note = |clause, what| violations.push(Violation::new(clause, what));
    let (limit, remaining) = (response.number(RATE_LIMIT), response.number(RATE_REMAINING));
    if let (Some(limit), Some(remaining)) = (limit, remaining) {
        let is = format!("{RATE_REMAINING} is {remaining}");
        if remaining > limit {
            note("§8.rate-headers", format!("{is}, more than {RATE_LIMIT}, {limit}."));
        }
        // Whether the request itself counts is a decision.
        if remaining == limit && response.status.is_success() {
            note("A4", format!("{is} of {limit}: this request is not counted."));
        }
    }
    if let Some(left) = remaining.filter(|left| *left > 0 && response.status == 429) {
        note("§8.rate-headers", format!("{RATE_REMAINING} of a 429 is {left}, not 0."));
    }
    violations.extend(credits(response));
    violations.extend(retry_after(response, now, with_decisions));
    violations
}

fn credits(response: &Response) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut note = |clause, what| violations.push(Violation::new(clause, what));
    let status = response.status.as_u16();
    let has = |name: &str| response.headers.contains_key(name);
    if has(CREDIT_LIMIT) != has(CREDITS_REMAINING) {
        let what = format!("One of {CREDIT_LIMIT} and {CREDITS_REMAINING} is missing.");
        note("§8.credit-headers", what);
    }
    if has(CREDIT_LIMIT) && UNMETERED.contains(&status) {
        // Which other responses are not metered is a decision.
        let clause = if status == 401 { "§8.credit-headers" } else { "A9" };
        note(clause, format!("A {status} is not metered, but has {CREDIT_LIMIT}."));
    }
    let (limit, remaining) = (response.number(CREDIT_LIMIT), response.number(CREDITS_REMAINING));
    if let (Some(limit), Some(remaining)) = (limit, remaining)
        && status != 402
        && remaining >= limit
    {
        // Whether the request itself costs something is a decision.
        let clause = if remaining > limit { "§8.credits-remaining" } else { "A6" };
        let is = format!("{CREDITS_REMAINING} is {remaining} of {limit}");
        note(clause, format!("{is}: this request is not charged."));
    }
    if status == 402 && response.header(CREDITS_REMAINING) != Some("0") {
        note("§8.credits-remaining", format!("{CREDITS_REMAINING} of a 402 is not 0."));
    }
    violations
}

fn retry_after(response: &Response, now: DateTime<Utc>, with_decisions: bool) -> Option<Violation> {
    let violation = |what| Some(Violation::new("§8.retry-after", what));
    let status = response.status.as_u16();
    if status != 402 {
        let is_present = response.headers.contains_key(RETRY_AFTER);
        let what = format!("A {status} has {RETRY_AFTER}, which only a 402 has.");
        return violation(what).filter(|_| is_present);
    }
    let Some(seconds) = response.number(RETRY_AFTER) else {
        return violation(format!("A 402 has no {RETRY_AFTER} in seconds."));
    };
    let date = response.header("date").and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let (now, tolerance) = date.map_or((now, CLOCKS_APART), |date| (date.to_utc(), ROUNDED));
    let tolerance = if with_decisions { tolerance } else { tolerance + ANY_ZONE };
    let resets = now + TimeDelta::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 2_000));
    let starts = [now - tolerance, now + tolerance].map(next_month);
    if starts.into_iter().any(|start| (resets - start).abs() <= tolerance) {
        return None;
    }
    violation(format!(
        "{RETRY_AFTER} is {seconds}, that is until {resets}; the next month (UTC) begins at {}.",
        next_month(now)
    ))
}

fn next_month(at: DateTime<Utc>) -> DateTime<Utc> {
    let first = at.date_naive().with_day(1).expect("each month has a first day");
    (first + Months::new(1)).and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use hyper::{HeaderMap, StatusCode, header::HeaderName};

    use super::*;
    use chrono::TimeZone as _;

    fn clauses(status: u16, headers: &[(&'static str, &str)]) -> Vec<&'static str> {
        clauses_of(status, headers, true)
    }

    fn clauses_of(
        status: u16,
        headers: &[(&'static str, &str)],
        with_decisions: bool,
    ) -> Vec<&'static str> {
        let response = Response {
            exchange: 0,
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
                .collect::<HeaderMap>(),
            json: None,
            body: Bytes::new(),
            elapsed: Duration::ZERO,
        };
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 23, 59, 30).unwrap();
        let violations = judge(&response, now, with_decisions);
        violations.into_iter().map(|violation| violation.clause).collect()
    }

    #[test]
    fn remaining_is_within_the_limit() {
        assert_eq!(clauses(200, &[(RATE_LIMIT, "5"), (RATE_REMAINING, "4")]), [""; 0]);
        assert_eq!(clauses(200, &[(RATE_LIMIT, "5"), (RATE_REMAINING, "5")]), ["A4"]);
        assert_eq!(clauses(200, &[(RATE_LIMIT, "5"), (RATE_REMAINING, "6")]), ["§8.rate-headers"]);
        assert_eq!(clauses(429, &[(RATE_LIMIT, "5"), (RATE_REMAINING, "1")]), ["§8.rate-headers"]);
    }

    #[test]
    fn credit_headers_are_together_on_charged_responses() {
        let both = [(CREDIT_LIMIT, "10"), (CREDITS_REMAINING, "9")];
        assert_eq!(clauses(200, &both), [""; 0]);
        assert_eq!(clauses(200, &both[..1]), ["§8.credit-headers"]);
        assert_eq!(clauses(401, &both), ["§8.credit-headers"]);
        assert_eq!(clauses(403, &both), ["A9"]);
        let before = [(CREDIT_LIMIT, "10"), (CREDITS_REMAINING, "10")];
        assert_eq!(clauses(200, &before), ["A6"]);
        let more = [(CREDIT_LIMIT, "10"), (CREDITS_REMAINING, "11")];
        assert_eq!(clauses(200, &more), ["§8.credits-remaining"]);
    }

    #[test]
    fn retry_after_is_until_the_next_month_and_on_402_only() {
        let left = |seconds: &'static str| {
            [
                (CREDIT_LIMIT, "0"),
                (CREDITS_REMAINING, "0"),
                (RETRY_AFTER, seconds),
                ("date", "Mon, 30 Nov 2026 23:59:30 GMT"),
            ]
        };
        assert_eq!(clauses(402, &left("30")), [""; 0]);
        assert_eq!(clauses(402, &left("3630")), ["§8.retry-after"]);
        assert_eq!(clauses_of(402, &left("18030"), false), [""; 0], "a month of UTC-05:00");
        assert_eq!(clauses_of(402, &left("86430"), false), ["§8.retry-after"]);
        assert_eq!(clauses(402, &left("30")[..2]), ["§8.retry-after"]);
        assert_eq!(clauses(429, &[(RETRY_AFTER, "30")]), ["§8.retry-after"]);
    }

    #[test]
    fn without_a_date_clocks_may_differ() {
        let headers = [(CREDIT_LIMIT, "0"), (CREDITS_REMAINING, "0"), (RETRY_AFTER, "90")];
        assert_eq!(clauses(402, &headers), [""; 0]);
    }
}
