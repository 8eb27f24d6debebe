//! Faults of the headers that report the allowances (§7, §8, A9), also such as could make a client
//! wait for minutes that never end.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::proxy::prelude::*;

const SECONDS_PER_MINUTE: u64 = 60;
const SECONDS_PER_HOUR: u64 = 3_600;
/// The distance to UTC of the time zone in which a month ends too late.
const HOURS_BEHIND_UTC: u64 = 5;

/// A 429 carries `retry-after`.
#[fault("§8")]
fn retry_after_on_429(response: &mut Response) {
    if response.has_status(429) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
        response.set_number(RETRY_AFTER, SECONDS_PER_MINUTE - second);
    }
}

/// `retry-after` counts minutes.
#[fault("§7.402")]
fn retry_after_in_minutes(response: &mut Response) {
    response.edit_number(RETRY_AFTER, |seconds| seconds.div_ceil(SECONDS_PER_MINUTE));
}

/// Credits reset at midnight of a time zone five hours behind UTC.
#[fault("§7.402")]
fn month_in_local_time(response: &mut Response) {
    response.edit_number(RETRY_AFTER, |seconds| seconds + HOURS_BEHIND_UTC * SECONDS_PER_HOUR);
}

/// An organisation without an allowance gets credit headers.
#[fault("§8")]
fn credit_headers_of_unlimited(request: &Request, response: &mut Response) {
    let has_credits = response.headers.contains_key(CREDITS_REMAINING);
    if request.operation().is_some() && response.status.is_success() && !has_credits {
        response.set_number(CREDIT_LIMIT, 10_000);
        response.set_number(CREDITS_REMAINING, 9_999);
    }
}

/// The remaining credits are those before the request.
#[fault("A8")]
fn credits_before_request(response: &mut Response) {
    if !response.has_status(402) {
        response.edit_number(CREDITS_REMAINING, |remaining| remaining + 1);
    }
}

/// The requests that remain are more than the limit.
#[fault("§8")]
fn rate_remaining_above_limit(response: &mut Response) {
    if let Some(limit) = response.number(RATE_LIMIT) {
        response.set_number(RATE_REMAINING, limit + 1);
    }
}

/// The requests that remain never become fewer.
#[fault("§8")]
fn rate_remaining_frozen(response: &mut Response) {
    if let Some(limit) = response.number(RATE_LIMIT) {
        response.set_number(RATE_REMAINING, limit.saturating_sub(1));
    }
}

/// `x-ratelimit-remaining-minute` counts the requests that were used.
#[fault("§8")]
fn rate_remaining_counts_used(response: &mut Response) {
    if let Some(limit) = response.number(RATE_LIMIT) {
        response.edit_number(RATE_REMAINING, |left| limit.saturating_sub(left));
    }
}

/// `x-ratelimit-remaining-minute` is sent twice.
#[fault("§8")]
fn rate_header_twice(response: &mut Response) {
    if let Some(left) = response.headers.get(RATE_REMAINING).cloned() {
        response.headers.append(RATE_REMAINING, left);
    }
}

/// `x-ratelimit-remaining-minute` is a decimal number.
#[fault("§8")]
fn rate_header_float(response: &mut Response) {
    response.edit_header(RATE_REMAINING, |left| format!("{left}.0"));
}
