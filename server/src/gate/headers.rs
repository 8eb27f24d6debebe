//! The meters' headers, on every answer of the API (§8, A9).
//!
//! It refuses to write `retry-after` anywhere but on a 402, where the specification keeps it.

use poem::http::{HeaderMap, HeaderName, HeaderValue};

use super::admission::Allowance;

/// Requests allowed in the current minute.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
/// Requests that remain in the current minute.
pub const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
/// The month's credit allowance.
pub const CREDIT_LIMIT: HeaderName = HeaderName::from_static("x-service-credits-limit-month");
/// Credits left in the month, after this request.
pub const CREDITS_REMAINING: HeaderName =
    HeaderName::from_static("x-service-credits-remaining-month");
/// Seconds until the credits reset.
pub const RETRY_AFTER: HeaderName = HeaderName::from_static("retry-after");

/// What an answer says of the meters.
#[derive(Clone, Copy, Debug)]
pub struct Meters {
    /// Of the organisation or, without a valid key, of the client's address.
    pub rate: Allowance,
    /// On metered answers and on 402, of an organisation with an allowance.
    pub credits: Option<Allowance>,
    /// On 402 alone.
    pub retry_after_seconds: Option<u64>,
}

impl Meters {
    /// Meters of an answer that was not metered.
    #[must_use]
    pub fn unmetered(rate: Allowance) -> Self {
        Self {
            rate,
            credits: None,
            retry_after_seconds: None,
        }
    }

    /// Writes the headers.
    pub fn write(&self, headers: &mut HeaderMap) {
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
