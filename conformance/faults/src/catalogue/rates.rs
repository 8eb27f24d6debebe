//! Faults of the rate headers that could make a client wait for minutes that never end (§7, §8).

use hyper::header::{HeaderValue, RETRY_AFTER};

use crate::{
    fault::{Fault, fault},
    message::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, Request, Response},
};

pub(super) const FAULTS: &[Fault] =
    &[
        fault(
            "rate-remaining-counts-used",
            "§8",
            "`x-ratelimit-remaining-minute` counts the requests that were used.",
        )
        .edit(&|_, response| {
            if let (Some(limit), Some(left)) =
                (response.number(&RATE_LIMIT), response.number(&RATE_REMAINING))
            {
                response.set_number(RATE_REMAINING, limit.saturating_sub(left));
            }
        }),
        fault("rate-header-twice", "§8", "`x-ratelimit-remaining-minute` is sent twice.").edit(
            &|_, response| {
                if let Some(left) = response.headers.get(RATE_REMAINING).cloned() {
                    response.headers.append(RATE_REMAINING, left);
                }
            },
        ),
        fault("rate-header-float", "§8", "`x-ratelimit-remaining-minute` is a decimal number.")
            .edit(&|_, response| {
                let left = response.number(&RATE_REMAINING).map(|left| format!("{left}.0"));
                if let Some(left) = left.and_then(|left| HeaderValue::from_str(&left).ok()) {
                    response.headers.insert(RATE_REMAINING, left);
                }
            }),
        fault("402-as-429", "§7.402", "Used-up credits are answered as a used-up minute: 429.")
            .edit(&|_, response| {
                if response.is(402) {
                    response.set_code(429, "RATE_LIMITED");
                    for name in [CREDIT_LIMIT, CREDITS_REMAINING, RETRY_AFTER] {
                        response.headers.remove(name);
                    }
                }
            }),
    ];
