//! Names of headers that several modules read.

/// Carries an API key (§5.1).
pub(crate) const KEY: &str = "x-api-key";
pub(crate) const VERSION: &str = "api-version";
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// The minute's allowance and the month's (§8).
pub(crate) const RATE_LIMIT: &str = "x-ratelimit-limit-minute";
pub(crate) const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
pub(crate) const CREDIT_LIMIT: &str = "x-service-credits-limit-month";
pub(crate) const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";
pub(crate) const RETRY_AFTER: &str = "retry-after";
/// Names the scheme and authority that the proxy sends a request to: a link may lead to another
/// host than the deployment's. The proxy does not pass it on.
pub(crate) const ORIGIN: &str = "payout-conformance-origin";
