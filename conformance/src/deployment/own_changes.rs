//! The times in which a run changed something. Nothing else may have changed outside of them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hyper::Method;
use parking_lot::Mutex;

use crate::exchange::{Request, Response};

/// The deployment's clock is known to a second, by the header `date`.
const ROUNDED: TimeDelta = TimeDelta::milliseconds(1_500);

/// Times by this machine's clock.
#[derive(Debug)]
pub(crate) struct OwnChanges {
    pub(crate) begun: DateTime<Utc>,
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
    /// Notes a change that took this long, until now: of anything, or of the thing with this id.
    pub(crate) fn note(&self, elapsed: Duration, only: Option<String>) {
        let to = Utc::now();
        self.times.lock().push(Change { from: to - elapsed, to, only });
    }

    /// Notes a request that may have changed something. A payout does not show its statement.
    pub(crate) fn note_request(&self, request: &Request, response: &Response) {
        let is_read = [Method::GET, Method::HEAD].contains(&request.method);
        if !is_read && response.is_success() {
            let is_empty = request.body.as_deref() == Some(b"{}".as_slice());
            let changes_nothing = is_empty || request.target.ends_with("/statement");
            let only = changes_nothing.then(|| response.text("/data/id").to_owned());
            self.note(response.elapsed, only);
        }
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
