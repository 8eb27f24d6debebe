//! Faults of the headers that report the allowances (§7, §8, A9), also such as could make a client
//! wait for minutes that never end.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::RETRY_AFTER;

use crate::{
    fault::{Fault, fault},
    message::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, Response},
};

const SECONDS_PER_MINUTE: u64 = 60;

pub(super) const FAULTS: &[Fault] = &[
    fault("retry-after-on-429", "§8").says("A 429 carries `retry-after`.").edit(&|_, response| {
        if response.is(429) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
            response.set_number(RETRY_AFTER, SECONDS_PER_MINUTE - second);
        }
    }),
    fault("no-retry-after-on-402", "§7.402").says("A 402 lacks `retry-after`.").edit(
        &|_, response| {
            if response.is(402) {
                response.headers.remove(RETRY_AFTER);
            }
        },
    ),
    fault("retry-after-in-minutes", "§7.402").says("`retry-after` counts minutes.").edit(
        &|_, response| {
            if let Some(seconds) = response.number(&RETRY_AFTER) {
                response.set_number(RETRY_AFTER, seconds.div_ceil(SECONDS_PER_MINUTE));
            }
        },
    ),
    fault("credit-headers-on-401", "§8").says("A 401 carries credit headers.").edit(
        &|_, response| {
            if response.is(401) {
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
            if response.is(404) {
                response.headers.remove(CREDIT_LIMIT);
                response.headers.remove(CREDITS_REMAINING);
            }
        }),
    fault("credits-before-request", "A8")
        .says("The remaining credits are those before the request.")
        .edit(&|_, response| {
            let remaining = response.number(&CREDITS_REMAINING).filter(|_| !response.is(402));
            if let Some(remaining) = remaining {
                response.set_number(CREDITS_REMAINING, remaining + 1);
            }
        }),
    fault("rate-remaining-above-limit", "§8")
        .says("The requests that remain are more than the limit.")
        .edit(&|_, response| {
            if let Some(limit) = response.number(&RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit + 1);
            }
        }),
    fault("rate-remaining-frozen", "§8").says("The requests that remain never become fewer.").edit(
        &|_, response| {
            if let Some(limit) = response.number(&RATE_LIMIT) {
                response.set_number(RATE_REMAINING, limit.saturating_sub(1));
            }
        },
    ),
    fault("rate-remaining-counts-used", "§8")
        .says("`x-ratelimit-remaining-minute` counts the requests that were used.")
        .edit(&|_, response| {
            if let (Some(limit), Some(left)) =
                (response.number(&RATE_LIMIT), response.number(&RATE_REMAINING))
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
];

fn invent_credits(response: &mut Response) {
    response.set_number(CREDIT_LIMIT, 10_000);
    response.set_number(CREDITS_REMAINING, 9_999);
}
