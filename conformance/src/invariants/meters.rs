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
    use chrono::TimeZone as _;
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    /// Returns the clauses that a response in the last minute of a November violates.
    fn clauses(
        status: u16,
        headers: &[(&'static str, &str)],
        decisions: bool,
    ) -> Vec<&'static str> {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.insert(*name, value.parse().unwrap());
        }
        let response = Response::new(StatusCode::from_u16(status).unwrap(), all, "");
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 23, 59, 30).unwrap();
        let violations = judge(&response, now, decisions);
        violations.into_iter().map(|violation| violation.clause).collect()
    }

    #[test]
    fn count_that_leaves_the_own_request_out_breaks_a_decision_alone() {
        let left = |left: &'static str| [(RATE_LIMIT, "5"), (RATE_REMAINING, left)];
        assert_eq!(clauses(200, &left("4"), true), [""; 0]);
        assert_eq!(clauses(200, &left("5"), true), ["A4"]);
        assert_eq!(clauses(200, &left("6"), true), ["§8.rate-headers"]);
        let left = |left: &'static str| [(CREDIT_LIMIT, "10"), (CREDITS_REMAINING, left)];
        assert_eq!(clauses(200, &left("9"), true), [""; 0]);
        assert_eq!(clauses(200, &left("10"), true), ["A6"]);
        assert_eq!(clauses(200, &left("11"), true), ["§8.credits-remaining"]);
        assert_eq!(clauses(403, &left("9"), true), ["A9"]);
        assert_eq!(clauses(401, &left("9"), true), ["§8.credit-headers"]);
    }

    #[test]
    fn retry_after_is_until_the_next_month() {
        let left = |seconds: &'static str, date: &[(&'static str, &'static str)]| {
            let none = [(CREDIT_LIMIT, "0"), (CREDITS_REMAINING, "0"), (RETRY_AFTER, seconds)];
            [&none, date].concat()
        };
        let date = &[("date", "Mon, 30 Nov 2026 23:59:30 GMT")];
        assert_eq!(clauses(402, &left("30", date), true), [""; 0]);
        assert_eq!(clauses(402, &left("3630", date), true), ["§8.retry-after"]);
        assert_eq!(clauses(402, &left("18030", date), false), [""; 0], "a month of UTC-05:00");
        assert_eq!(clauses(402, &left("86430", date), false), ["§8.retry-after"]);
        // The clocks may differ where the response has no date.
        assert_eq!(clauses(402, &left("90", &[]), true), [""; 0]);
    }
}
