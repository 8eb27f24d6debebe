//! Names of headers that several modules read.

/// The headers of the minute's allowance and of the month's (§8).
pub(crate) const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
pub(crate) const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
pub(crate) const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
pub(crate) const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
pub(crate) const RETRY_AFTER: &str = "retry-after";
pub(crate) const REQUEST_ID: &str = "x-request-id";
