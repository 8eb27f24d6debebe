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
    times: Mutex<Vec<Change>>,
}

#[derive(Clone, Debug)]
struct Change {
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    /// The thing of an update that should change nothing, but may do so in a faulty deployment;
    /// `None` for changes that may concern anything.
    only: Option<String>,
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

    /// Notes a change of anything that took this long, until now.
    pub(crate) fn note(&self, elapsed: Duration) {
        self.note_only(elapsed, None);
    }

    /// Notes a request that may have changed something.
    pub(crate) fn note_request(&self, request: &Request, response: &Response) {
        if is_change(request, response) {
            self.note(response.elapsed);
        } else if request.method == Method::PATCH {
            self.note_only(response.elapsed, Some(response.text("/data/id").to_owned()));
        }
    }

    fn note_only(&self, elapsed: Duration, only: Option<String>) {
        let to = Utc::now();
        self.times.lock().push(Change { from: to - elapsed, to, only });
    }

    /// Returns true if the run had begun at this time, and changed neither anything nor the thing
    /// of this id then.
    pub(crate) fn excludes(&self, time: DateTime<Utc>, id: &str) -> bool {
        let concerns = |change: &Change| {
            change.only.as_ref().is_none_or(|only| only == id)
                && (change.from - ROUNDED..=change.to + ROUNDED).contains(&time)
        };
        time > self.begun + ROUNDED && !self.times.lock().iter().any(concerns)
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
        let push = |seconds, only| {
            changes.times.lock().push(Change { from: at(seconds), to: at(seconds), only });
        };
        assert!(!changes.excludes(at(-60), "a"), "before the run");
        assert!(changes.excludes(at(60), "a"));
        push(59, None);
        assert!(!changes.excludes(at(60), "a"), "the clocks differ by a second");
        assert!(changes.excludes(at(61), "a") && changes.excludes(at(57), "a"));
        push(70, Some("a".to_owned()));
        assert!(!changes.excludes(at(70), "a"), "an update that should change nothing");
        assert!(changes.excludes(at(70), "b"));
    }
}
