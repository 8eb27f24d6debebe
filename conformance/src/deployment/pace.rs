//! Pace: never faster than the deployment allows, by the rate headers of its own responses (401s
//! too), and never faster than the target file allows. A rest of each minute is left to others,
//! such as a second run.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};

use crate::{
    exchange::{Key, Request, Response},
    target::limits,
};

/// Requests of a minute that are left to others.
const RESERVE: u64 = 4;
/// Wait after the minute's end, for clocks that differ a little.
const MARGIN: TimeDelta = TimeDelta::milliseconds(1_500);
/// The span in which no more are sent than the target file allows.
const MINUTE: Duration = Duration::from_secs(60);

/// Whose requests are counted together: those of one key's organisation, or all without a valid
/// key.
type Counted = Option<String>;

/// What is known of the current minute, and what was sent in the last one.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    requests_per_minute: Option<u32>,
    left: Mutex<HashMap<Counted, (u64, DateTime<Utc>)>>,
    windows: Arc<Mutex<HashMap<Counted, Window>>>,
    waited_milliseconds: AtomicU64,
}

impl Pace {
    pub(crate) fn new(limits: &limits::Pace) -> Self {
        Self {
            requests_per_minute: limits.requests_per_minute.map(limits::Bounded::get),
            ..Self::default()
        }
    }

    /// The pace of another run at the same time or later: it shares the file's requests per minute,
    /// and knows nothing of what responses said.
    pub(crate) fn again(&self) -> Self {
        Self {
            requests_per_minute: self.requests_per_minute,
            windows: Arc::clone(&self.windows),
            ..Self::default()
        }
    }

    /// How many requests with one key may be sent in any sixty seconds; none: as many as the
    /// responses allow.
    pub(crate) fn requests_per_minute(&self) -> Option<u32> {
        self.requests_per_minute
    }

    pub(crate) fn learn(&self, request: &Request, response: &Response) {
        let Some(remaining) = response.number("x-ratelimit-remaining-minute") else {
            return;
        };
        // Without a valid key the address is counted.
        let counted = if response.status == 401 { None } else { counted(request) };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.insert(counted, (remaining, Utc::now()));
    }

    /// Waits until the deployment's minute has enough left and the target file allows the request.
    pub(crate) async fn wait(&self, request: &Request) {
        let now = Utc::now();
        let known = {
            let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.get(&counted(request)).copied()
        };
        if let Some((remaining, at)) = known {
            let ends = minute_end(at);
            if remaining < RESERVE && now < ends {
                self.pause(ends - now).await;
            }
        }
        // Last, so that the request is sent at its turn.
        self.wait_for_turn(request).await;
    }

    /// Waits until the target file allows the request, whatever is left of the deployment's minute.
    pub(crate) async fn wait_for_turn(&self, request: &Request) {
        let Some(max) = self.requests_per_minute else {
            return;
        };
        let time = {
            let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
            let window = windows.entry(counted(request)).or_default();
            window.turn(max, Instant::now())
        };
        if !time.is_zero() {
            self.sleep(time).await;
        }
    }

    /// Waits for the next minute, because a response said that this one is used up.
    pub(crate) async fn wait_for_next_minute(&self) {
        let now = Utc::now();
        self.pause(minute_end(now) - now).await;
    }

    pub(crate) fn waited_milliseconds(&self) -> u64 {
        self.waited_milliseconds.load(Ordering::Relaxed)
    }

    async fn pause(&self, time: TimeDelta) {
        self.sleep(time.to_std().unwrap_or(Duration::ZERO)).await;
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.waited_milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
    }
}

/// When the last requests were sent or will be sent: as many as may be in a minute.
#[derive(Debug, Default)]
struct Window {
    turns: VecDeque<Instant>,
}

impl Window {
    /// Takes the next turn and returns how long to wait for it: at most `max` turns in sixty
    /// seconds.
    fn turn(&mut self, max: u32, now: Instant) -> Duration {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let is_full = self.turns.len() >= max;
        let earliest = if is_full { self.turns.pop_front() } else { None };
        let turn = earliest.map_or(now, |earliest| now.max(earliest + MINUTE));
        self.turns.push_back(turn);
        turn - now
    }
}

fn counted(request: &Request) -> Counted {
    match &request.key {
        Key::Secret(secret) => Some(secret.placeholder()),
        Key::None | Key::Altered(_) | Key::Repeated(_) => None,
    }
}

/// The end of the UTC minute of `at`, plus the margin.
fn minute_end(at: DateTime<Utc>) -> DateTime<Utc> {
    let into =
        TimeDelta::seconds(at.second().into()) + TimeDelta::nanoseconds(at.nanosecond().into());
    at - into + TimeDelta::minutes(1) + MARGIN
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;

    use super::*;

    #[test]
    fn minute_ends_a_little_after_its_end() {
        let at = Utc.with_ymd_and_hms(2026, 11, 21, 22, 59, 58).unwrap();
        let end = Utc.with_ymd_and_hms(2026, 11, 21, 23, 0, 0).unwrap() + MARGIN;
        assert_eq!(minute_end(at), end);
    }

    #[test]
    fn no_more_are_sent_in_any_sixty_seconds_than_the_file_allows() {
        const MAX: u32 = 3;
        let begun = Instant::now();
        let mut window = Window::default();
        // Bursts and single requests, in seconds after the start.
        let mut left = Vec::new();
        for at in [0, 0, 1, 1, 2, 70, 130, 131, 131, 131, 500] {
            let now = begun + Duration::from_secs(at);
            left.push(now + window.turn(MAX, now));
        }
        assert!(left.is_sorted());
        for four in left.windows(4) {
            assert!(four[3] - four[0] >= MINUTE, "{four:?}");
        }
        let seconds: Vec<u64> = left.iter().map(|at| (*at - begun).as_secs()).collect();
        assert_eq!(seconds, [0, 0, 1, 60, 60, 70, 130, 131, 131, 190, 500]);
    }

    #[tokio::test]
    async fn keys_do_not_wait_for_each_other_and_without_a_limit_nothing_waits() {
        use futures_util::FutureExt as _;

        let request = |name: &str| Request::get("/").with(&crate::secret::Secret::new(name, name));
        let limits = limits::Pace { requests_per_minute: Some(1.try_into().unwrap()) };
        let pace = Pace::new(&limits);
        assert!(pace.wait(&request("ONE")).now_or_never().is_some());
        assert!(pace.wait(&request("OTHER")).now_or_never().is_some());
        assert!(pace.wait(&Request::get("/")).now_or_never().is_some());
        assert!(pace.wait(&request("ONE")).now_or_never().is_none());
        let pace = Pace::default();
        for _ in 0..1_000 {
            assert!(pace.wait(&request("ONE")).now_or_never().is_some());
        }
    }
}
