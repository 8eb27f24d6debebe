//! Which calls are repeated, and when. Only what is safe is: what the server has rejected before it
//! did anything, and requests whose repetition has the effect of one.

use std::time::Duration;

use reqwest::StatusCode;

use crate::{Error, ErrorCode, Idempotency, Operation};

/// The longest pause between two requests, but for a minute whose requests are used up.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How far clients that wait for the same minute spread out.
const RATE_JITTER: Duration = Duration::from_secs(2);

/// Which calls are repeated, and when.
///
/// - After a 429, any operation, in the next minute as the server says, up to two seconds later.
/// - After a 409 `IDEMPOTENCY_IN_PROGRESS`, any operation, after a pause.
/// - After a 502, 503, 504, a time-out, or where no connection or no complete response was had,
///   operations of which a repeated request has the effect of one
///   ([`Operation::idempotency`]), after a pause.
/// - After anything else, and so after a 402, none.
///
/// A pause is random, below a bound that doubles each time. A call that would have to wait for
/// longer than [`within`](Self::within) ends with its error at once.
///
/// ```
/// use std::time::Duration;
///
/// use payout_client::RetryPolicy;
///
/// let patient = RetryPolicy::default().attempts(10).within(Duration::from_mins(10));
/// let never = RetryPolicy::none();
/// # let _ = (patient, never);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    attempts: u32,
    within: Duration,
    first_pause: Duration,
    is_immediate: bool,
}

impl RetryPolicy {
    /// No call is repeated.
    #[must_use]
    pub fn none() -> Self {
        Self::default().attempts(1)
    }

    /// How many requests a call sends at most, the first one included; 4 by default.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// How long after its beginning a call sends another request, at most; two minutes by default.
    #[must_use]
    pub fn within(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// The bound of the first pause; half a second by default.
    #[must_use]
    pub fn first_pause(self, first_pause: Duration) -> Self {
        Self { first_pause, ..self }
    }

    /// Repeats without a pause, also after a 429: for tests, whose server has no minutes.
    #[cfg(feature = "testkit")]
    #[must_use]
    pub fn without_pauses(self) -> Self {
        Self { is_immediate: true, ..self }
    }

    /// The same policy for a call with a deadline.
    pub(crate) fn no_longer_than(self, deadline: Duration) -> Self {
        self.within(self.within.min(deadline))
    }

    /// How long to wait before the next request; `None` if there is none. `attempt` is the number
    /// of the request that failed, `spent` the time since the call began, `random` a random number.
    pub(crate) fn pause(
        &self,
        operation: Operation,
        error: &Error,
        attempt: u32,
        spent: Duration,
        random: u16,
    ) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let pause = match error {
            Error::RateLimited { wait, .. } => *wait + part(RATE_JITTER, random),
            error if is_temporary(operation, error) => {
                let doubled = self.first_pause.saturating_mul(1 << (attempt - 1).min(16));
                part(doubled.min(LONGEST_PAUSE), random)
            }
            _ => return None,
        };
        let pause = if self.is_immediate { Duration::ZERO } else { pause };
        (spent + pause <= self.within).then_some(pause)
    }
}

/// As much of a duration as the random number is of all numbers.
fn part(bound: Duration, random: u16) -> Duration {
    bound * u32::from(random) / u32::from(u16::MAX)
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            within: Duration::from_mins(2),
            first_pause: Duration::from_millis(500),
            is_immediate: false,
        }
    }
}

/// Whether the same request can succeed in a moment, and does no harm.
fn is_temporary(operation: Operation, error: &Error) -> bool {
    let is_repeatable = operation.idempotency() != Idempotency::None;
    match error {
        Error::State { code, .. } => *code == ErrorCode::IdempotencyInProgress,
        Error::Transport(_) => is_repeatable,
        Error::Unexpected { response } => {
            let passing = [
                StatusCode::BAD_GATEWAY,
                StatusCode::SERVICE_UNAVAILABLE,
                StatusCode::GATEWAY_TIMEOUT,
            ];
            is_repeatable && passing.contains(&response.status)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::{StatusCode, header::HeaderMap};

    use super::RetryPolicy;
    use crate::{Error, ErrorResponse, Idempotency, Operation};

    fn error(status: u16, code: &str, details: &str) -> Error {
        let body =
            format!(r#"{{"error":{{"code":"{code}","message":"No.","details":{details}}}}}"#);
        let status = StatusCode::from_u16(status).unwrap();
        ErrorResponse::read(status, HeaderMap::new(), body.as_bytes()).into()
    }

    fn pause(operation: Operation, error: &Error) -> Option<Duration> {
        RetryPolicy::default().pause(operation, error, 1, Duration::ZERO, 0)
    }

    #[test]
    fn used_up_minute_waits_for_the_next_one_and_jitter_in_every_operation() {
        let error = error(429, "RATE_LIMITED", r#"{"retryAfterSeconds":30}"#);
        let policy = RetryPolicy::default();
        let latest = policy.pause(Operation::GetPayout, &error, 1, Duration::ZERO, u16::MAX);
        assert_eq!(latest, Some(Duration::from_secs(32)));
        for operation in Operation::ALL {
            assert_eq!(pause(*operation, &error), Some(Duration::from_secs(30)), "{operation}");
        }
    }

    #[test]
    fn used_up_credits_and_rejections_are_final() {
        for (status, code) in [
            (400, "INVALID_JSON"),
            (401, "UNAUTHORIZED"),
            (402, "API_CREDITS_EXHAUSTED"),
            (403, "INSUFFICIENT_SCOPE"),
            (404, "NOT_FOUND"),
            (409, "ANOTHER_CONFLICT"),
            (422, "IDEMPOTENCY_KEY_REUSED"),
            (500, "INTERNAL_ERROR"),
        ] {
            let error = error(status, code, r#"{"retryAfterSeconds":1}"#);
            assert_eq!(pause(Operation::GetPayout, &error), None, "{status} {code}");
        }
    }

    #[test]
    fn overloaded_server_is_asked_again_where_a_repetition_does_no_harm() {
        let error = error(503, "SERVICE_UNAVAILABLE", "null");
        for operation in Operation::ALL {
            let is_repeated = pause(*operation, &error).is_some();
            assert_eq!(is_repeated, operation.idempotency() != Idempotency::None, "{operation}");
        }
    }

    #[test]
    fn request_in_progress_is_asked_for_again() {
        let error = error(409, "IDEMPOTENCY_IN_PROGRESS", "null");
        assert!(pause(Operation::CreatePayout, &error).is_some());
    }

    #[test]
    fn pauses_double_up_to_a_bound() {
        let error = error(503, "SERVICE_UNAVAILABLE", "null");
        let policy = RetryPolicy::default().attempts(u32::MAX);
        let pause =
            |attempt| policy.pause(Operation::GetPayout, &error, attempt, Duration::ZERO, u16::MAX);
        assert_eq!(pause(1), Some(Duration::from_millis(500)));
        assert_eq!(pause(3), Some(Duration::from_secs(2)));
        assert_eq!(pause(1000), Some(Duration::from_secs(10)));
    }

    #[test]
    fn number_of_requests_and_time_are_bounded() {
        let error = error(429, "RATE_LIMITED", r#"{"retryAfterSeconds":30}"#);
        let policy = RetryPolicy::default();
        let pause = |attempt, spent| {
            policy.pause(Operation::GetPayout, &error, attempt, Duration::from_secs(spent), 0)
        };
        assert!(pause(3, 90).is_some());
        assert_eq!(pause(4, 0), None);
        assert_eq!(pause(1, 91), None);
        let never = RetryPolicy::none();
        assert_eq!(never.pause(Operation::GetPayout, &error, 1, Duration::ZERO, 0), None);
    }
}
