//! Faults of the rate headers that could make a client wait for minutes that never end (§7, §8).

use hyper::header::{HeaderValue, RETRY_AFTER};

use crate::{
    fault::faults,
    message::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, Request, Response},
};

faults! {
    "rate-remaining-counts-used" "§8" edit(remaining_counts_used)
        "`x-ratelimit-remaining-minute` counts the requests that were used.";
    "rate-header-twice" "§8" edit(header_twice)
        "`x-ratelimit-remaining-minute` is sent twice.";
    "rate-header-float" "§8" edit(header_float)
        "`x-ratelimit-remaining-minute` is a decimal number.";
    "402-as-429" "§7.402" edit(exhausted_as_429)
        "Used-up credits are answered as a used-up minute: 429.";
}

fn remaining_counts_used(_: &Request, response: &mut Response) {
    if let (Some(limit), Some(left)) =
        (response.number(&RATE_LIMIT), response.number(&RATE_REMAINING))
    {
        response.set_number(RATE_REMAINING, limit.saturating_sub(left));
    }
}

fn header_twice(_: &Request, response: &mut Response) {
    if let Some(left) = response.headers.get(RATE_REMAINING).cloned() {
        response.headers.append(RATE_REMAINING, left);
    }
}

fn header_float(_: &Request, response: &mut Response) {
    let left = response.number(&RATE_REMAINING).map(|left| format!("{left}.0"));
    if let Some(left) = left.and_then(|left| HeaderValue::from_str(&left).ok()) {
        response.headers.insert(RATE_REMAINING, left);
    }
}

fn exhausted_as_429(_: &Request, response: &mut Response) {
    if response.is(402) {
        response.set_code(429, "RATE_LIMITED");
        for name in [CREDIT_LIMIT, CREDITS_REMAINING, RETRY_AFTER] {
            response.headers.remove(name);
        }
    }
}
