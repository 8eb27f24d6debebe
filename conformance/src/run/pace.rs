//! Pace: no faster than the deployment allows, by the rate headers of its own answers, those of 401s too.
//!
//! It refuses to use up a minute: others may need the rest of it, a second run beside this one for instance.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};

use crate::exchange::{Answer, Call, Key};

/// Requests of a minute that are left to others.
const RESERVE: u64 = 4;
/// After the minute's end, so that clocks that differ a little agree that it has ended.
const MARGIN: TimeDelta = TimeDelta::milliseconds(1_500);

/// Whose requests are counted together: those of one key's organisation, or all without a valid key.
type Counted = Option<String>;

/// What is known of the present minute.
#[derive(Debug, Default)]
pub struct Pace {
    left: Mutex<HashMap<Counted, (u64, DateTime<Utc>)>>,
    waited_milliseconds: AtomicU64,
}

impl Pace {
    /// Learns from an answer.
    pub fn learn(&self, call: &Call, answer: &Answer) {
        let Some(remaining) = answer.number("x-ratelimit-remaining-minute") else {
            return;
        };
        // Without a valid key it is the address that is counted.
        let counted = if answer.status == 401 {
            None
        } else {
            counted(call)
        };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.insert(counted, (remaining, Utc::now()));
    }

    /// Waits until the call may leave.
    pub async fn wait(&self, call: &Call) {
        let now = Utc::now();
        let known = {
            let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.get(&counted(call)).copied()
        };
        let Some((remaining, at)) = known else {
            return;
        };
        let ends = minute_end(at);
        if remaining < RESERVE && now < ends {
            self.rest(ends - now).await;
        }
    }

    /// Waits for the next minute, because an answer said that this one is used up.
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
        let time = time.to_std().unwrap_or(Duration::ZERO);
        tokio::time::sleep(time).await;
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.waited_milliseconds
            .fetch_add(milliseconds, Ordering::Relaxed);
    }
}

fn counted(call: &Call) -> Counted {
    match &call.key {
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
}
