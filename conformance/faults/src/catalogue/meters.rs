//! Faults of the headers that report the allowances (§8, A9).

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::RETRY_AFTER;

use crate::{
    fault::faults,
    message::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, Request, Response},
};

const SECONDS_PER_MINUTE: u64 = 60;
const SECONDS_PER_HOUR: u64 = 3_600;
/// How far the time zone is behind UTC in which a month ends too late.
const HOURS_BEHIND_UTC: u64 = 5;

faults! {
    "retry-after-on-429" "§8" edit(retry_after_on_429)
        "A 429 carries `retry-after`.";
    "no-retry-after-on-402" "§7.402" edit(no_retry_after_on_402)
        "A 402 lacks `retry-after`.";
    "retry-after-in-minutes" "§7.402" edit(retry_after_in_minutes)
        "`retry-after` counts minutes.";
    "month-in-local-time" "§7.402" edit(month_in_local_time)
        "Credits reset at midnight of a time zone five hours behind UTC.";
    "credit-headers-on-401" "§8" edit(credit_headers_on_401)
        "A 401 carries credit headers.";
    "credit-headers-of-unlimited" "§8" edit(credit_headers_of_unlimited)
        "An organisation without an allowance gets credit headers.";
    "credit-headers-missing-on-404" "A7" edit(credit_headers_missing_on_404)
        "A metered 404 lacks the credit headers.";
    "credits-before-request" "A8" edit(credits_before_request)
        "The remaining credits are those before the request.";
    "credits-left-on-402" "§7.402" edit(credits_left_on_402)
        "A 402 says that a credit remains.";
    "rate-remaining-above-limit" "§8" edit(rate_remaining_above_limit)
        "The requests that remain are more than the limit.";
    "rate-remaining-frozen" "§8" edit(rate_remaining_frozen)
        "The requests that remain never become fewer.";
}

fn retry_after_on_429(_: &Request, response: &mut Response) {
    if response.is(429) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
        response.set_number(RETRY_AFTER, SECONDS_PER_MINUTE - second);
    }
}

fn no_retry_after_on_402(_: &Request, response: &mut Response) {
    if response.is(402) {
        response.headers.remove(RETRY_AFTER);
    }
}

fn retry_after_in_minutes(_: &Request, response: &mut Response) {
    if let Some(seconds) = response.number(&RETRY_AFTER) {
        response.set_number(RETRY_AFTER, seconds.div_ceil(SECONDS_PER_MINUTE));
    }
}

fn month_in_local_time(_: &Request, response: &mut Response) {
    if let Some(seconds) = response.number(&RETRY_AFTER) {
        let later = HOURS_BEHIND_UTC * SECONDS_PER_HOUR;
        response.set_number(RETRY_AFTER, seconds + later);
    }
}

fn credit_headers_on_401(_: &Request, response: &mut Response) {
    if response.is(401) {
        invent_credits(response);
    }
}

fn credit_headers_of_unlimited(request: &Request, response: &mut Response) {
    let has_credits = response.headers.contains_key(CREDITS_REMAINING);
    if request.operation().is_some() && response.status.is_success() && !has_credits {
        invent_credits(response);
    }
}

fn credit_headers_missing_on_404(_: &Request, response: &mut Response) {
    if response.is(404) {
        response.headers.remove(CREDIT_LIMIT);
        response.headers.remove(CREDITS_REMAINING);
    }
}

fn credits_before_request(_: &Request, response: &mut Response) {
    let remaining = response.number(&CREDITS_REMAINING).filter(|_| !response.is(402));
    if let Some(remaining) = remaining {
        response.set_number(CREDITS_REMAINING, remaining + 1);
    }
}

fn credits_left_on_402(_: &Request, response: &mut Response) {
    if response.is(402) {
        response.set_number(CREDITS_REMAINING, 1);
    }
}

fn rate_remaining_above_limit(_: &Request, response: &mut Response) {
    if let Some(limit) = response.number(&RATE_LIMIT) {
        response.set_number(RATE_REMAINING, limit + 1);
    }
}

fn rate_remaining_frozen(_: &Request, response: &mut Response) {
    if let Some(limit) = response.number(&RATE_LIMIT) {
        response.set_number(RATE_REMAINING, limit.saturating_sub(1));
    }
}

fn invent_credits(response: &mut Response) {
    response.set_number(CREDIT_LIMIT, 10_000);
    response.set_number(CREDITS_REMAINING, 9_999);
}
