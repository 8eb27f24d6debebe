//! Faults of the headers that report the allowances (§8, A9).

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::RETRY_AFTER;

use crate::{
    fault::Fault,
    message::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, Response},
};

const SECONDS_PER_MINUTE: u64 = 60;
const SECONDS_PER_HOUR: u64 = 3_600;
/// How far the time zone is behind UTC in which a month ends too late.
const HOURS_BEHIND_UTC: u64 = 5;

pub(super) const FAULTS: &[Fault] = &[
    Fault::edit(
        "retry-after-on-429",
        "§8",
        "A 429 carries `retry-after`.",
        |_, response| {
            if response.is(429) {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
                response.set_number(RETRY_AFTER, SECONDS_PER_MINUTE - second);
            }
        },
    ),
    Fault::edit(
        "no-retry-after-on-402",
        "§8",
        "A 402 lacks `retry-after`.",
        |_, response| {
            if response.is(402) {
                response.headers.remove(RETRY_AFTER);
            }
        },
    ),
    Fault::edit(
        "retry-after-in-minutes",
        "§8",
        "`retry-after` counts minutes.",
        |_, response| {
            if let Some(seconds) = response.number(&RETRY_AFTER) {
                response.set_number(RETRY_AFTER, seconds.div_ceil(SECONDS_PER_MINUTE));
            }
        },
    ),
    Fault::edit(
        "month-in-local-time",
        "A6",
        "Credits reset at midnight of a time zone five hours behind UTC.",
        |_, response| {
            if let Some(seconds) = response.number(&RETRY_AFTER) {
                let later = HOURS_BEHIND_UTC * SECONDS_PER_HOUR;
                response.set_number(RETRY_AFTER, seconds + later);
            }
        },
    ),
    Fault::edit(
        "credit-headers-on-401",
        "§8",
        "A 401 carries credit headers.",
        |_, response| {
            if response.is(401) {
                invent_credits(response);
            }
        },
    ),
    Fault::edit(
        "credit-headers-of-unlimited",
        "§8",
        "An organisation without an allowance gets credit headers.",
        |request, response| {
            let has_credits = response.headers.contains_key(CREDITS_REMAINING);
            if request.operation().is_some() && response.status.is_success() && !has_credits {
                invent_credits(response);
            }
        },
    ),
    Fault::edit(
        "credit-headers-missing-on-404",
        "A9",
        "A metered 404 lacks the credit headers.",
        |_, response| {
            if response.is(404) {
                response.headers.remove(CREDIT_LIMIT);
                response.headers.remove(CREDITS_REMAINING);
            }
        },
    ),
    Fault::edit(
        "credits-before-request",
        "§8",
        "The remaining credits are those before the request.",
        |_, response| {
            let remaining = response
                .number(&CREDITS_REMAINING)
                .filter(|_| !response.is(402));
            if let Some(remaining) = remaining {
                response.set_number(CREDITS_REMAINING, remaining + 1);
            }
        },
    ),
    Fault::edit(
        "credits-left-on-402",
        "§8",
        "A 402 says that a credit remains.",
        |_, response| {
            if response.is(402) {
                response.set_number(CREDITS_REMAINING, 1);
            }
        },
    ),
    Fault::edit(
        "rate-remaining-above-limit",
        "§8",
        "The requests that remain are more than the limit.",
        |_, response| {
            if let Some(limit) = response.number(&RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit + 1);
            }
        },
    ),
    Fault::edit(
        "rate-remaining-frozen",
        "§8",
        "The requests that remain never become fewer.",
        |_, response| {
            if let Some(limit) = response.number(&RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit.saturating_sub(1));
            }
        },
    ),
];

fn invent_credits(response: &mut Response) {
    response.set_number(CREDIT_LIMIT, 10_000);
    response.set_number(CREDITS_REMAINING, 9_999);
}
