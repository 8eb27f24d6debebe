//! Waits before the 429. A response shows how many requests are left in the minute, so a call that
//! would be one too many waits for the next minute, in the order of the calls. Those that have
//! waited go out evenly over the minute, so that other clients of the organisation get a share.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::time::{sleep_until, timeout_at};

use crate::Meter;

const MINUTE: Duration = Duration::from_secs(60);
/// A response that puts the end of the minute further off than this is of another minute.
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Pacer {
    minute: Mutex<Minute>,
    /// Held by the call that is next. tokio's mutex is first come, first served.
    line: tokio::sync::Mutex<()>,
}

/// The server's minute, as its responses show it.
#[derive(Debug, Default)]
struct Minute {
    /// Its end and its limit; none before the first response.
    known: Option<(Instant, u64)>,
    /// Requests of this client in it.
    sent: u64,
    /// The lowest number that a response left, less the requests sent since; none before the first
    /// response.
    left: Option<u64>,
    /// The time at which the next call that has waited may go.
    next: Option<Instant>,
}

impl Pacer {
    /// Waits until a request is left in the minute, and takes it; false before the first response,
    /// when nothing is known to take. A call that must end before goes at once; the server's 429
    /// then says how long it would have had to wait.
    pub(crate) async fn turn(&self, until: Option<Instant>) -> bool {
        if self.line.try_lock().is_ok()
            && let Ok(is_taken) = self.minute(|minute, now| minute.take(now))
        {
            return is_taken;
        }
        let _first = match until {
            None => self.line.lock().await,
            Some(until) => match timeout_at(until.into(), self.line.lock()).await {
                Ok(first) => first,
                // Nothing is sent any more.
                Err(_) => return true,
            },
        };
        loop {
            match self.minute(Minute::take_evenly) {
                Ok(is_taken) => return is_taken,
                Err(at) if until.is_some_and(|until| until < at) => return self.count(true),
                Err(at) => sleep_until(at.into()).await,
            }
        }
    }

    /// Counts a request that waits for no turn: one that the server said when to repeat, or, if not
    /// `always`, one before the first response. Returns whether it was counted.
    pub(crate) fn count(&self, always: bool) -> bool {
        self.minute(|minute, _| {
            let is_counted = always || minute.known.is_none();
            if is_counted {
                minute.count();
            }
            is_counted
        })
    }

    /// Learns from a response: its meter, and how far the server's clock is into the minute.
    pub(crate) fn observe(&self, meter: Meter, into_the_minute: Duration) {
        self.minute(|minute, now| minute.observe(now, meter, into_the_minute));
    }

    fn minute<T>(&self, act: impl FnOnce(&mut Minute, Instant) -> T) -> T {
        act(&mut self.minute.lock().unwrap_or_else(PoisonError::into_inner), Instant::now())
    }
}

impl Minute {
    /// Begins the next minute when this one is over.
    fn roll(&mut self, now: Instant) {
        let Some((end, limit)) = self.known.filter(|(end, _)| *end <= now) else { return };
        let over = u32::try_from((now - end).as_secs() / 60).unwrap_or(u32::MAX);
        let end = end + MINUTE.saturating_mul(over + 1);
        *self = Self { known: Some((end, limit)), ..Self::default() };
    }

    /// Takes one of the requests that are left; else when to try again.
    fn take(&mut self, now: Instant) -> Result<bool, Instant> {
        self.roll(now);
        match self.known {
            None => Ok(false),
            Some((end, limit)) if self.left(limit) == 0 => Err(end),
            Some(_) => {
                self.count();
                Ok(true)
            }
        }
    }

    /// Takes one for a call that has waited.
    fn take_evenly(&mut self, now: Instant) -> Result<bool, Instant> {
        self.roll(now);
        if let Some(next) = self.next.filter(|next| *next > now) {
            return Err(next);
        }
        let share = self.known.and_then(|(end, limit)| {
            Some((end - now) / u32::try_from(self.left(limit)).ok().filter(|left| *left > 0)?)
        });
        let is_taken = self.take(now)?;
        self.next = share.map(|share| now + share);
        Ok(is_taken)
    }

    fn left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.sent).min(self.left.unwrap_or(u64::MAX))
    }

    fn count(&mut self) {
        self.sent += 1;
        self.left = self.left.map(|left| left.saturating_sub(1));
    }

    fn observe(&mut self, now: Instant, meter: Meter, into_the_minute: Duration) {
        self.roll(now);
        let end = now + MINUTE.saturating_sub(into_the_minute);
        let earliest = match self.known {
            None => end,
            // A late response of the minute before.
            Some((known, _)) if end + HALF_A_MINUTE < known => return,
            // The next minute has begun on the server.
            Some((known, _)) if end > known + HALF_A_MINUTE => {
                *self = Self::default();
                end
            }
            // A date has whole seconds, so the earliest estimate is the best, and never too early.
            Some((known, _)) => known.min(end),
        };
        self.known = Some((earliest, meter.limit.max(1)));
        self.left = Some(self.left.unwrap_or(u64::MAX).min(meter.remaining));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Minute;
    use crate::Meter;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A minute of 60 requests, 20 seconds of which are over, in which `sent` were sent, and the
    /// first response.
    fn minute(now: Instant, sent: u64) -> Minute {
        let mut minute = Minute { sent, ..Minute::default() };
        minute.observe(now, Meter { limit: 60, remaining: 59 }, seconds(20));
        minute
    }

    #[test]
    fn before_the_first_response_nothing_waits() {
        let mut minute = Minute::default();
        for _ in 0..1000 {
            assert_eq!(minute.take(Instant::now()), Ok(false));
        }
    }

    #[test]
    fn requests_in_flight_count_before_their_responses_do() {
        let now = Instant::now();
        let mut minute = minute(now, 58);
        assert!(minute.take(now).is_ok() && minute.take(now).is_ok());
        assert_eq!(minute.take(now), Err(now + seconds(40)));
        assert!(minute.take(now + seconds(40)).is_ok(), "the next minute has begun");
    }

    #[test]
    fn requests_of_other_clients_count_as_the_server_shows_them() {
        let now = Instant::now();
        let mut minute = minute(now, 1);
        minute.observe(now, Meter { limit: 60, remaining: 1 }, seconds(20));
        assert!(minute.take(now).is_ok());
        assert!(minute.take(now).is_err());
    }

    #[test]
    fn calls_that_have_waited_go_out_evenly() {
        let now = Instant::now();
        let mut minute = minute(now, 60);
        assert_eq!(minute.take_evenly(now), Err(now + seconds(40)));
        let mut at = now + seconds(40);
        for _ in 0..60 {
            assert_eq!(minute.take_evenly(at), Ok(true));
            let next = minute.take_evenly(at).unwrap_err();
            assert!((next - at).abs_diff(seconds(1)) < Duration::from_millis(100));
            at = next;
        }
        assert!(at >= now + seconds(99), "the sixty-first waits for the minute after");
    }

    #[test]
    fn late_response_of_the_minute_before_changes_nothing() {
        let now = Instant::now();
        let mut minute = minute(now, 60);
        let next = now + seconds(41);
        minute.roll(next);
        minute.observe(next, Meter { limit: 60, remaining: 0 }, seconds(59));
        assert!(minute.take(next).is_ok());
    }

    #[test]
    fn next_minute_begins_when_the_server_says_so() {
        let now = Instant::now();
        let mut minute = minute(now, 60);
        let early = now + seconds(39);
        minute.observe(early, Meter { limit: 60, remaining: 30 }, seconds(0));
        assert!(minute.take(early).is_ok());
    }
}
