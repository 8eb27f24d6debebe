//! The times in which a run changed something. Nothing else may have changed outside of them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hyper::Method;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::exchange::{Request, Response};

/// The deployment's clock is known to a second, by the header `date`.
const ROUNDED: TimeDelta = TimeDelta::milliseconds(1_500);

/// Times by this machine's clock.
#[derive(Debug)]
pub(crate) struct OwnChanges {
    begun: DateTime<Utc>,
    times: Mutex<Vec<(DateTime<Utc>, DateTime<Utc>)>>,
}

impl Default for OwnChanges {
    fn default() -> Self {
        Self { begun: Utc::now(), times: Mutex::default() }
    }
}

impl OwnChanges {
    #[cfg(test)]
    pub(crate) fn begin_earlier(&mut self, by: TimeDelta) {
        self.begun -= by;
    }

    /// Notes a change that took this long, until now.
    pub(crate) fn note(&self, elapsed: Duration) {
        let now = Utc::now();
        self.times.lock().push((now - elapsed, now));
    }

    /// Returns true if the run had begun at this time, and changed nothing then.
    pub(crate) fn excludes(&self, time: DateTime<Utc>) -> bool {
        let mut times = self.times.lock().clone().into_iter();
        time > self.begun + ROUNDED
            && !times.any(|(from, to)| (from - ROUNDED..=to + ROUNDED).contains(&time))
    }
}

/// Returns true if a request changed something that the API shows: not a read, accepted, and with
/// members if it is a PATCH. A payout does not show its statement.
pub(crate) fn is_change(request: &Request, response: &Response) -> bool {
    let is_read = [Method::GET, Method::HEAD].contains(&request.method);
    let is_empty = sent(request).is_some_and(|body| body == Value::Object(Map::new()));
    !is_read && !is_empty && response.is_success() && !request.target.ends_with("/statement")
}

/// Returns the body of a request, if it is JSON.
pub(crate) fn sent(request: &Request) -> Option<Value> {
    serde_json::from_slice(request.body.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_outside_of_the_times_of_the_run_is_not_its_own() {
        let changes = OwnChanges::default();
        let at = |seconds| changes.begun + TimeDelta::seconds(seconds);
        assert!(!changes.excludes(at(-60)), "before the run");
        assert!(changes.excludes(at(60)));
        changes.times.lock().push((at(59), at(59)));
        assert!(!changes.excludes(at(60)), "the clocks differ by a second");
        assert!(changes.excludes(at(61)) && changes.excludes(at(57)));
    }
}
