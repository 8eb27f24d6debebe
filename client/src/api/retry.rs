//! Which calls are repeated, and when. Only what is safe is: what the server has rejected before it
//! did anything, and requests whose repetition has the effect of one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::{Error, Idempotency, error_response::retry_after};

/// The longest pause between two requests, but for one that the server asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The time over which clients that wait for the same minute spread out.
const RATE_JITTER: Duration = Duration::from_secs(2);

/// Which calls are repeated, and when.
///
/// - After a 429, any operation, when the server says so, or in the next minute, up to two seconds
///   later.
/// - After a 409 `IDEMPOTENCY_IN_PROGRESS`, any operation, after a pause.
/// - After a 408, 425, 502, 503, 504, a time-out, or where no complete response was had, operations
///   of which a repeated request has the effect of one
///   ([`Operation::idempotency`](crate::Operation::idempotency)), after a pause, or after the
///   `retry-after` of the response. Where nothing was sent, any operation.
/// - After a 401, any operation, once, if a key provider has another key.
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
/// let patient = RetryPolicy::default().attempts(10).within(Duration::from_secs(600));
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
        Self::default().attempts(1).within(Duration::ZERO)
    }

    /// After how many requests a call ends that the server did not respond to, or with trouble of
    /// its own; 4 by default. A 429 and a 409 do not count.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// Limits the time after the first request in which a call sends another one. The default is
    /// three minutes, which is longer than any request that a 409 waits for.
    #[must_use]
    pub fn within(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// The bound of the first pause; half a second by default.
    #[must_use]
    pub fn first_pause(self, first_pause: Duration) -> Self {
        Self { first_pause, ..self }
    }

    /// Repeats at once where a call would pause, and counts the pause as if it had passed: for
    /// tests, whose server has no minutes.
    #[cfg(feature = "testkit")]
    #[must_use]
    pub fn without_pauses(self) -> Self {
        Self { is_immediate: true, ..self }
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            within: Duration::from_secs(180),
            first_pause: Duration::from_millis(500),
            is_immediate: false,
        }
    }
}

/// The repetitions of one call or download.
pub(crate) struct Repetitions {
    policy: RetryPolicy,
    budget: Arc<Budget>,
    idempotency: Idempotency,
    /// All repetitions, which lengthen the pauses.
    count: u32,
    /// Lost requests and servers in trouble, of which the policy has a number.
    lost: u32,
    /// Pauses that a policy without pauses has left out.
    left_out: Duration,
}

impl Repetitions {
    pub(crate) fn new(policy: RetryPolicy, budget: &Arc<Budget>, idempotency: Idempotency) -> Self {
        let (budget, left_out) = (Arc::clone(budget), Duration::ZERO);
        Self { policy, budget, idempotency, count: 0, lost: 0, left_out }
    }

    /// Returns how long to wait before the next request; `None` if there is none. `spent` is the
    /// time since the first one, `random` a random number.
    pub(crate) fn pause(
        &mut self,
        error: &Error,
        spent: Duration,
        random: u16,
    ) -> Option<Duration> {
        let doubled = self.policy.first_pause.saturating_mul(1 << self.count.min(16));
        let backoff = doubled.min(LONGEST_PAUSE);
        let (pause, is_lost) = match error {
            Error::RateLimited { wait, .. } => {
                (wait.saturating_add(part(backoff.max(RATE_JITTER), random)), false)
            }
            Error::State { .. } if error.is_retryable() => (part(backoff, random), false),
            _ if error.is_retryable() && self.does_no_harm(error) => {
                let wait = error.headers().and_then(retry_after).unwrap_or_default();
                (wait.saturating_add(part(backoff, random)), true)
            }
            _ => return None,
        };
        self.count += 1;
        self.lost += u32::from(is_lost);
        if pause.saturating_add(spent + self.left_out) >= self.policy.within
            || is_lost && (self.lost >= self.policy.attempts || !self.budget.spend())
        {
            return None;
        }
        if self.policy.is_immediate {
            self.left_out += pause;
            return Some(Duration::ZERO);
        }
        Some(pause)
    }

    fn does_no_harm(&self, error: &Error) -> bool {
        self.idempotency != Idempotency::None || !error.was_sent()
    }
}

/// Returns the part of `bound` that `random` is of `u16::MAX`.
fn part(bound: Duration, random: u16) -> Duration {
    bound * u32::from(random) / u32::from(u16::MAX)
}

/// The requests that a client and its clones may repeat because of lost connections and servers in
/// trouble. Successes earn repetitions, so that many calls to a server that is down do not become
/// several times as many.
#[derive(Debug)]
pub(crate) struct Budget {
    capacity: u32,
    tokens: AtomicU32,
}

impl Budget {
    /// The tokens that a repetition costs; a success earns one.
    const COST: u32 = 5;

    pub(crate) fn new(repetitions: u32) -> Self {
        let capacity = repetitions.saturating_mul(Self::COST);
        Self { capacity, tokens: AtomicU32::new(capacity) }
    }

    fn spend(&self) -> bool {
        let spent = |tokens: u32| tokens.checked_sub(Self::COST);
        self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent).is_ok()
    }

    pub(crate) fn earn(&self) {
        let earned = |tokens: u32| (tokens < self.capacity).then_some(tokens + 1);
        // Full, most of the time.
        let _ = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::Arc, time::Duration};

    use reqwest::{
        StatusCode,
        header::{HeaderMap, HeaderValue, RETRY_AFTER},
    };

    use super::{Budget, Repetitions, RetryPolicy};
    use crate::{Error, Idempotency, TransportError, error_response::ErrorResponse};

    fn error(status: u16, code: &str, details: &str) -> Error {
        let body =
            format!(r#"{{"error":{{"code":"{code}","message":"No.","details":{details}}}}}"#);
        let status = StatusCode::from_u16(status).unwrap();
        ErrorResponse::read(status, HeaderMap::new(), body.as_bytes()).into()
    }

    /// The pauses of a call that always gets this error at once, in milliseconds.
    fn pauses(policy: RetryPolicy, idempotency: Idempotency, error: &Error) -> Vec<u128> {
        let budget = Arc::new(Budget::new(100));
        let mut repetitions = Repetitions::new(policy, &budget, idempotency);
        let mut spent = Duration::ZERO;
        let next = || {
            let pause = repetitions.pause(error, spent, u16::MAX)?;
            spent += pause;
            Some(pause.as_millis())
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn only_what_is_safe_is_repeated_after_its_pauses() {
        let wait = r#"{"retryAfterSeconds":30}"#;
        let with = |seconds: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(seconds))]);
            Error::from(ErrorResponse::read(StatusCode::SERVICE_UNAVAILABLE, headers, b"trouble"))
        };
        let lost = || TransportError::new("lost");
        let errors = [
            ("429", error(429, "RATE_LIMITED", wait)),
            ("400", error(400, "INVALID_JSON", wait)),
            ("401", error(401, "UNAUTHORIZED", wait)),
            ("402", error(402, "API_CREDITS_EXHAUSTED", wait)),
            ("403", error(403, "INSUFFICIENT_SCOPE", wait)),
            ("404", error(404, "NOT_FOUND", wait)),
            ("409", error(409, "ANOTHER_CONFLICT", wait)),
            ("409, in progress", error(409, "IDEMPOTENCY_IN_PROGRESS", "null")),
            ("422", error(422, "IDEMPOTENCY_KEY_REUSED", wait)),
            ("500", error(500, "INTERNAL_ERROR", wait)),
            ("503", error(503, "SERVICE_UNAVAILABLE", "null")),
            ("503 for 5 s", with("5")),
            ("503 for days", with("999999")),
            ("503 for ever", with("18446744073709551615")),
            ("lost", Error::Transport(lost())),
            ("not sent", Error::Transport(lost().not_sent())),
        ];
        let policy = RetryPolicy::default();
        let mut shown = String::new();
        for (what, error) in &errors {
            writeln!(shown, "{what}").unwrap();
            for idempotency in [Idempotency::None, Idempotency::ByNature, Idempotency::ByKey] {
                let pauses = pauses(policy, idempotency, error);
                writeln!(shown, "  {idempotency:?}: {pauses:?}").unwrap();
            }
            let within = pauses(policy.within(Duration::from_secs(32)), Idempotency::ByKey, error);
            let none = pauses(RetryPolicy::none(), Idempotency::ByKey, error);
            writeln!(shown, "  ByKey within 32 s: {within:?}, without repetitions: {none:?}")
                .unwrap();
        }
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn empty_budget_ends_repetitions_until_successes_fill_it() {
        let budget = Budget::new(2);
        assert!(budget.spend() && budget.spend() && !budget.spend());
        for _ in 0..Budget::COST {
            budget.earn();
        }
        assert!(budget.spend() && !budget.spend());
        for _ in 0..100 {
            budget.earn();
        }
        assert!(budget.spend() && budget.spend() && !budget.spend(), "no more than its capacity");
    }
}
