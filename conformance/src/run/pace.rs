//! Pace: no faster than the deployment allows, by the rate headers of its own responses, those of 401s too; and no faster than
//! the target file allows.
//!
//! It refuses to use up a minute: others may need the rest of it, a second run beside this one for instance.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, PoisonError,
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
/// After the minute's end, so that clocks that differ a little agree that it has ended.
const MARGIN: TimeDelta = TimeDelta::milliseconds(1_500);
/// The span in which no more leave than the target file allows.
const MINUTE: Duration = Duration::from_secs(60);

/// Whose requests are counted together: those of one key's organisation, or all without a valid key.
type Counted = Option<String>;

/// What is known of the present minute, and what left in the last one.
#[derive(Debug, Default)]
pub struct Pace {
    requests_per_minute: Option<u32>,
    left: Mutex<HashMap<Counted, (u64, DateTime<Utc>)>>,
    windows: Mutex<HashMap<Counted, Window>>,
    waited_milliseconds: AtomicU64,
}

impl Pace {
    /// Of a target file.
    #[must_use]
    pub fn new(limits: &limits::Pace) -> Self {
        Self {
            requests_per_minute: limits.requests_per_minute.map(limits::Bounded::get),
            ..Self::default()
        }
    }

    /// How many requests with one key may leave in any sixty seconds; none: as many as the responses allow.
    #[must_use]
    pub fn requests_per_minute(&self) -> Option<u32> {
        self.requests_per_minute
    }

    /// Learns from a response.
    pub fn learn(&self, request: &Request, response: &Response) {
        let Some(remaining) = response.number("x-ratelimit-remaining-minute") else {
            return;
        };
        // Without a valid key it is the address that is counted.
        let counted = if response.status == 401 {
            None
        } else {
            counted(request)
        };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.insert(counted, (remaining, Utc::now()));
    }

    /// Waits until the request may leave: until the deployment's minute has enough left, and the target file allows it.
    pub async fn wait(&self, request: &Request) {
        let now = Utc::now();
        let known = {
            let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.get(&counted(request)).copied()
        };
        if let Some((remaining, at)) = known {
            let ends = minute_end(at);
            if remaining < RESERVE && now < ends {
                self.rest(ends - now).await;
            }
        }
        // Last, so that the request leaves when its turn says.
        self.wait_for_turn(request).await;
    }

    /// Waits until the target file allows the request, whatever is left of the deployment's minute.
    pub async fn wait_for_turn(&self, request: &Request) {
        let Some(most) = self.requests_per_minute else {
            return;
        };
        let time = {
            let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
            let window = windows.entry(counted(request)).or_default();
            window.turn(most, Instant::now())
        };
        if !time.is_zero() {
            self.sleep(time).await;
        }
    }

    /// Waits for the next minute, because a response said that this one is used up.
    pub async fn wait_for_next_minute(&self) {
        let now = Utc::now();
        self.rest(minute_end(now) - now).await;
    }

    /// How long was waited so far, in milliseconds.
    #[must_use]
    pub fn waited_milliseconds(&self) -> u64 {
        self.waited_milliseconds.load(Ordering::Relaxed)
    }

    async fn rest(&self, time: TimeDelta) {
        self.sleep(time.to_std().unwrap_or(Duration::ZERO)).await;
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.waited_milliseconds
            .fetch_add(milliseconds, Ordering::Relaxed);
    }
}

/// When the last requests left, or will leave: as many as may in a minute.
#[derive(Debug, Default)]
struct Window {
    leaves: VecDeque<Instant>,
}

impl Window {
    /// Takes the next turn, and says how long it is until then: no more than `most` leave in any sixty seconds.
    fn turn(&mut self, most: u32, now: Instant) -> Duration {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let is_full = self.leaves.len() >= most;
        let earliest = if is_full {
            self.leaves.pop_front()
        } else {
            None
        };
        let leaves = earliest.map_or(now, |earliest| now.max(earliest + MINUTE));
        self.leaves.push_back(leaves);
        leaves - now
    }
}

fn counted(request: &Request) -> Counted {
    match &request.key {
        Key::Secret(secret) => Some(secret.placeholder()),
        Key::None | Key::Altered(_) | Key::Repeated(_) => None,
    }
}

/// The end of the UTC minute that holds `at`, and a little more.
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
    fn no_more_leave_in_any_sixty_seconds_than_the_file_allows() {
        const MOST: u32 = 3;
        let begun = Instant::now();
        let mut window = Window::default();
        // Bursts and single requests; seconds after the beginning.
        let mut left = Vec::new();
        for at in [0, 0, 1, 1, 2, 70, 130, 131, 131, 131, 500] {
            let now = begun + Duration::from_secs(at);
            left.push(now + window.turn(MOST, now));
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
        let limits = limits::Pace {
            requests_per_minute: Some(1.try_into().unwrap()),
        };
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
