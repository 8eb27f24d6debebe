//! Writes the headers that every response of the API has: those of the meters (§8, A9), and that no
//! cache keeps it, because it is one organisation's and may have a secret link (X16).

use poem::http::{HeaderMap, HeaderName, HeaderValue, header};

use super::admission::Allowance;

const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
const CREDIT_LIMIT: HeaderName = HeaderName::from_static("x-service-credits-limit-month");
const CREDITS_REMAINING: HeaderName = HeaderName::from_static("x-service-credits-remaining-month");
const RETRY_AFTER: HeaderName = HeaderName::from_static("retry-after");

/// The meters as one response reports them.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeterHeaders {
    /// The organisation's minute or, without a valid key, that of the client's address.
    pub(super) rate: Allowance,
    /// Set on metered responses and on 402, if the organisation has a credit limit.
    pub(super) credits: Option<Allowance>,
    /// Set on 402 alone, as the specification requires.
    pub(super) retry_after_seconds: Option<u64>,
}

impl MeterHeaders {
    pub(super) fn unmetered(rate: Allowance) -> Self {
        Self { rate, credits: None, retry_after_seconds: None }
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(RATE_LIMIT, self.rate.limit.into());
        headers.insert(RATE_REMAINING, self.rate.remaining.into());
        if let Some(credits) = self.credits {
            headers.insert(CREDIT_LIMIT, credits.limit.into());
            headers.insert(CREDITS_REMAINING, credits.remaining.into());
        }
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
    }
}
