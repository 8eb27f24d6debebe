//! Pace: never faster than the deployment allows, by its 429s and the rate headers of its responses
//! (401s too), and never faster than the target file allows. A rest of each minute is left to
//! others, such as a second run. Headers that contradict themselves make nothing wait.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};
use parking_lot::Mutex;

use super::deadline::Deadline;
use crate::{
    exchange::{ClientError, Key, Request, Response, headers::*},
    target::limits,
};

/// Requests of a minute that are left to others.
const RESERVE: u64 = 4;
/// A rate header is believed where it fell by this much within the minute: more than the requests
/// that are sent side by side, whose responses may come in another order.
const FALL: u64 = 16;
/// Wait after the minute's end, for clocks that differ a little.
const MARGIN: TimeDelta = TimeDelta::milliseconds(1_500);
/// The span in which no more are sent than the target file allows.
pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// Whose requests are counted together: those of one key's organisation, or all without a valid
/// key.
type Counted = Option<String>;

/// The known state of the current minute, and the requests of the last one.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// The most requests with one key in any sixty seconds; `None` for as many as the responses
    /// allow.
    pub(crate) requests_per_minute: Option<u32>,
    deadline: Arc<Deadline>,
    /// The limit is part of the key, because a request with a key to an unknown path counts for the
    /// address.
    minutes: Mutex<HashMap<(Counted, Option<u64>), Minute>>,
    /// Whose 429s came in one minute after the other: a wait for the next one is useless.
    disbelieved: Mutex<HashSet<Counted>>,
    windows: Arc<Mutex<HashMap<Counted, Window>>>,
    waited_milliseconds: AtomicU64,
}

/// The claims of the responses of one minute.
#[derive(Clone, Copy, Debug)]
struct Minute {
    ends: DateTime<Utc>,
    highest: u64,
    remaining: u64,
}

impl Pace {
    pub(crate) fn new(limits: &limits::Pace, deadline: Arc<Deadline>) -> Self {
        Self {
            requests_per_minute: limits.requests_per_minute.map(limits::Bounded::get),
            deadline,
            ..Self::default()
        }
    }

    /// The pace of another run at the same time or later: it shares the deadline and the file's
    /// requests per minute, and knows nothing of what responses said.
    pub(crate) fn again(&self) -> Self {
        Self {
            requests_per_minute: self.requests_per_minute,
            deadline: Arc::clone(&self.deadline),
            windows: Arc::clone(&self.windows),
            ..Self::default()
        }
    }

    /// The smallest limit of a minute that responses named.
    pub(crate) fn smallest_limit(&self) -> Option<u64> {
        self.minutes.lock().keys().filter_map(|(_, limit)| *limit).min()
    }

    pub(crate) fn learn(&self, request: &Request, response: &Response) {
        // Without a valid key the address is counted.
        let counted = if response.status == 401 { None } else { counted(request) };
        if response.status != 429 {
            self.disbelieved.lock().remove(&counted);
        }
        let Some(remaining) = response.number(RATE_REMAINING) else {
            return;
        };
        let ends = minute_end(Utc::now());
        let mut minutes = self.minutes.lock();
        let counted = (counted, response.number(RATE_LIMIT));
        let before = minutes.get(&counted).filter(|minute| minute.ends == ends);
        let highest = before.map_or(remaining, |minute| minute.highest.max(remaining));
        minutes.insert(counted, Minute { ends, highest, remaining });
    }

    /// Returns the minute with the least left, of those that this request is counted in.
    fn fullest(&self, request: &Request, is_one: impl Fn(&Minute) -> bool) -> Option<Minute> {
        let counted = counted(request);
        let minutes = self.minutes.lock();
        let own = minutes.iter().filter(|((of, _), minute)| *of == counted && is_one(minute));
        own.map(|(_, minute)| *minute).min_by_key(|minute| minute.remaining)
    }

    /// Returns true if a 429 means that this minute is used up, and the next one is not.
    pub(crate) fn believes(&self, request: &Request, response: &Response) -> bool {
        response.number(RATE_REMAINING).is_none_or(|remaining| remaining == 0)
            && !self.disbelieved.lock().contains(&counted(request))
    }

    /// No longer waits for 429s of this key, until a request with it gets another response.
    pub(crate) fn disbelieve(&self, request: &Request) {
        self.disbelieved.lock().insert(counted(request));
    }

    /// Waits until the deployment's minute has enough left and the target file allows the request.
    pub(crate) async fn wait(&self, request: &Request) -> Result<(), ClientError> {
        self.wait_for_room(request, RESERVE).await?;
        // Last, so that the request is sent at its turn.
        self.wait_for_turn(request).await
    }

    /// Waits until the deployment's minute has room for this many requests. A header that is not
    /// seen to count down makes nothing wait: where it is right after all, a 429 comes.
    pub(crate) async fn wait_for_room(
        &self,
        request: &Request,
        room: u64,
    ) -> Result<(), ClientError> {
        let now = Utc::now();
        let is_used_up = |minute: &Minute| {
            minute.remaining < room
                && minute.remaining + FALL <= minute.highest
                && now < minute.ends
        };
        match self.fullest(request, is_used_up) {
            Some(minute) => self.pause(minute.ends - now, request).await,
            None => Ok(()),
        }
    }

    /// Waits until the target file allows the request, whatever is left of the deployment's minute.
    pub(crate) async fn wait_for_turn(&self, request: &Request) -> Result<(), ClientError> {
        let Some(max) = self.requests_per_minute else {
            return Ok(());
        };
        let time = {
            let mut windows = self.windows.lock();
            let window = windows.entry(counted(request)).or_default();
            window.turn(max, Instant::now())
        };
        if time.is_zero() {
            return Ok(());
        }
        self.sleep(time, "pace.requests_per_minute delays the next request").await
    }

    /// Waits for the next minute, because a response said that this one is used up.
    pub(crate) async fn wait_for_next_minute(&self, request: &Request) -> Result<(), ClientError> {
        let now = Utc::now();
        self.pause(minute_end(now) - now, request).await
    }

    pub(crate) fn waited_milliseconds(&self) -> u64 {
        self.waited_milliseconds.load(Ordering::Relaxed)
    }

    async fn pause(&self, time: TimeDelta, request: &Request) -> Result<(), ClientError> {
        let header = self.fullest(request, |_| true).map_or_else(
            || format!("no {RATE_REMAINING}"),
            |minute| format!("{RATE_REMAINING}: {}", minute.remaining),
        );
        let what_for = format!("a used-up minute delays the next request ({header})");
        self.sleep(time.to_std().unwrap_or(Duration::ZERO), &what_for).await
    }

    async fn sleep(&self, time: Duration, what_for: &str) -> Result<(), ClientError> {
        self.deadline.sleep(time, what_for).await?;
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.waited_milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
        Ok(())
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
    use futures_util::FutureExt as _;
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    fn response(status: u16, remaining: &[&str]) -> Response {
        let mut headers = HeaderMap::new();
        for remaining in remaining {
            headers.append(RATE_REMAINING, remaining.parse().unwrap());
        }
        Response::new(StatusCode::from_u16(status).unwrap(), headers, "")
    }

    /// Returns true if a request waits after responses with these headers; none of them ends a
    /// minute.
    fn waits(pace: &Pace, headers: &[&[&str]]) -> bool {
        let request = Request::get("/");
        loop {
            let minute = minute_end(Utc::now());
            for remaining in headers {
                pace.learn(&request, &response(200, remaining));
            }
            let waits = pace.wait(&request).now_or_never().is_none();
            if minute == minute_end(Utc::now()) {
                return waits;
            }
        }
    }

    #[tokio::test]
    async fn used_up_minute_is_waited_for_where_its_header_has_counted_down() {
        let deadline = Arc::new(Deadline::default());
        let pace = Pace { deadline: Arc::clone(&deadline), ..Pace::default() };
        assert!(!waits(&pace, &[&["119"], &["60"], &["4"]]));
        assert!(waits(&pace, &[&["119"], &["60"], &["3"]]));
        assert!(pace.wait_for_room(&Request::get("/"), 3).now_or_never().is_some());
        deadline.set(Duration::from_secs(1));
        let error = pace.wait(&Request::get("/")).now_or_never().unwrap().unwrap_err();
        let error = error.to_string();
        assert!(error.contains("--deadline 1") && error.contains("minute: 3)"), "{error}");
    }

    #[tokio::test]
    async fn header_that_does_not_count_down_makes_nothing_wait() {
        let wrong: [&[&[&str]]; 5] = [
            &[&["1"], &["2"], &["3"]],
            // Responses of requests side by side.
            &[&["9"], &["16"], &["3"], &["1"]],
            &[&["0"], &["0"], &["0"]],
            &[&["119", "119"], &["3", "3"]],
            &[&["119.0"], &["3.0"]],
        ];
        for headers in wrong {
            assert!(!waits(&Pace::default(), headers), "{headers:?}");
        }
    }

    #[test]
    fn response_429_is_believed_where_its_header_agrees_and_waits_have_helped() {
        let (pace, request) = (Pace::default(), Request::get("/"));
        assert!(!pace.believes(&request, &response(429, &["119"])));
        assert!(pace.believes(&request, &response(429, &[])));
        let used_up = response(429, &["0"]);
        assert!(pace.believes(&request, &used_up));
        pace.disbelieve(&request);
        pace.learn(&request, &used_up);
        assert!(!pace.believes(&request, &used_up));
        pace.learn(&request, &response(200, &["5"]));
        assert!(pace.believes(&request, &used_up));
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
        let request = |name: &str| Request::get("/").with(&crate::secret::Secret::new(name, name));
        let limits =
            limits::Pace { requests_per_minute: Some(toml::Value::from(1).try_into().unwrap()) };
        let pace = Pace::new(&limits, Arc::default());
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
