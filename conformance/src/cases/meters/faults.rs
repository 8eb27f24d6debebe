//! Faults of the headers that report the allowances (§7, §8, A9), also such as could make a client
//! wait for minutes that never end.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::HeaderValue;

use crate::{
    exchange::{
        Response,
        headers::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, RETRY_AFTER},
    },
    proxy::fault::{Fault, fault},
};

const SECONDS_PER_MINUTE: u64 = 60;
const SECONDS_PER_HOUR: u64 = 3_600;
/// The distance to UTC of the time zone in which a month ends too late.
const HOURS_BEHIND_UTC: u64 = 5;

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("retry-after-on-429", "§8").says("A 429 carries `retry-after`.").edit(&|_, response| {
        if response.has_status(429) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
            response.set_number(RETRY_AFTER, SECONDS_PER_MINUTE - second);
        }
    }),
    fault("no-retry-after-on-402", "§7.402").says("A 402 lacks `retry-after`.").edit(
        &|_, response| {
            if response.has_status(402) {
                response.headers.remove(RETRY_AFTER);
            }
        },
    ),
    fault("retry-after-in-minutes", "§7.402").says("`retry-after` counts minutes.").edit(
        &|_, response| {
            if let Some(seconds) = response.number(RETRY_AFTER) {
                response.set_number(RETRY_AFTER, seconds.div_ceil(SECONDS_PER_MINUTE));
            }
        },
    ),
    fault("month-in-local-time", "§7.402")
        .says("Credits reset at midnight of a time zone five hours behind UTC.")
        .edit(&|_, response| {
            if let Some(seconds) = response.number(RETRY_AFTER) {
                let later = HOURS_BEHIND_UTC * SECONDS_PER_HOUR;
                response.set_number(RETRY_AFTER, seconds + later);
            }
        }),
    fault("credit-headers-on-401", "§8").says("A 401 carries credit headers.").edit(
        &|_, response| {
            if response.has_status(401) {
                invent_credits(response);
            }
        },
    ),
    fault("credit-headers-of-unlimited", "§8")
        .says("An organisation without an allowance gets credit headers.")
        .edit(&|request, response| {
            let has_credits = response.headers.contains_key(CREDITS_REMAINING);
            if request.operation().is_some() && response.status.is_success() && !has_credits {
                invent_credits(response);
            }
        }),
    fault("credit-headers-missing-on-404", "A7")
        .says("A metered 404 lacks the credit headers.")
        .edit(&|_, response| {
            if response.has_status(404) {
                response.headers.remove(CREDIT_LIMIT);
                response.headers.remove(CREDITS_REMAINING);
            }
        }),
    fault("credits-before-request", "A8")
        .says("The remaining credits are those before the request.")
        .edit(&|_, response| {
            let remaining =
                response.number(CREDITS_REMAINING).filter(|_| !response.has_status(402));
            if let Some(remaining) = remaining {
                response.set_number(CREDITS_REMAINING, remaining + 1);
            }
        }),
    fault("credits-left-on-402", "§7.402").says("A 402 says that a credit remains.").edit(
        &|_, response| {
            if response.has_status(402) {
                response.set_number(CREDITS_REMAINING, 1);
            }
        },
    ),
    fault("rate-remaining-above-limit", "§8")
        .says("The requests that remain are more than the limit.")
        .edit(&|_, response| {
            if let Some(limit) = response.number(RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit + 1);
            }
        }),
    fault("rate-remaining-frozen", "§8").says("The requests that remain never become fewer.").edit(
        &|_, response| {
            if let Some(limit) = response.number(RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit.saturating_sub(1));
            }
        },
    ),
    fault("rate-remaining-counts-used", "§8")
        .says("`x-ratelimit-remaining-minute` counts the requests that were used.")
        .edit(&|_, response| {
            if let (Some(limit), Some(left)) =
                (response.number(RATE_LIMIT), response.number(RATE_REMAINING))
            {
                response.set_number(RATE_REMAINING, limit.saturating_sub(left));
            }
        }),
    fault("rate-header-twice", "§8").says("`x-ratelimit-remaining-minute` is sent twice.").edit(
        &|_, response| {
            if let Some(left) = response.headers.get(RATE_REMAINING).cloned() {
                response.headers.append(RATE_REMAINING, left);
            }
        },
    ),
    fault("rate-header-float", "§8")
        .says("`x-ratelimit-remaining-minute` is a decimal number.")
        .edit(&|_, response| {
            let left = response.number(RATE_REMAINING).map(|left| format!("{left}.0"));
            if let Some(left) = left.and_then(|left| HeaderValue::from_str(&left).ok()) {
                response.headers.insert(RATE_REMAINING, left);
            }
        }),
    fault("402-as-429", "§7.402")
        .says("Used-up credits are answered as a used-up minute: 429.")
        .edit(&|_, response| {
            if response.has_status(402) {
                response.set_code(429, "RATE_LIMITED");
                for name in [CREDIT_LIMIT, CREDITS_REMAINING, RETRY_AFTER] {
                    response.headers.remove(name);
                }
            }
        }),
];

fn invent_credits(response: &mut Response) {
    response.set_number(CREDIT_LIMIT, 10_000);
    response.set_number(CREDITS_REMAINING, 9_999);
}
