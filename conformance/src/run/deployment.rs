//! What all cases of a run share: the way to the deployment, its keys, what is known of it, and the invariants.
//!
//! It refuses to be changed by a case, but for what is handed out once, and what is counted.

use std::{
    collections::{BTreeMap, VecDeque, btree_map},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::Utc;
use hyper::Method;
use serde_json::Value;

use super::{budget::Budget, coverage::Coverage, fixtures::Found, intent::Intents, pace::Pace};
use crate::{
    exchange::{Client, ClientError, Request, Response},
    invariants::{Invariants, Violation},
    journal::Journal,
    secret::{Redaction, Secret},
    snapshot::Snapshots,
    target::{Feature, Fixture, Hooks, Keys, limits},
};

/// How often a request is made again that came in a minute that was used up.
const MINUTES: usize = 3;
/// How often a read is made that is answered 503, and the rest between two.
const READS: usize = 3;
const REST_OF_BUSY: Duration = Duration::from_secs(1);

/// A deployment under judgement.
#[derive(Debug)]
pub struct Deployment {
    /// The way to it.
    pub client: Client,
    /// Its keys.
    pub keys: Keys,
    /// What its owner does for us.
    pub hooks: Hooks,
    /// What it has.
    pub features: Vec<Feature>,
    /// Whether decisions are judged by.
    pub with_decisions: bool,
    /// The invariants.
    pub invariants: Invariants,
    /// How fast requests may leave.
    pub pace: Pace,
    /// How much may be asked.
    pub budget: Budget,
    /// What is about to be changed.
    pub intents: Intents,
    /// What was exercised.
    pub coverage: Coverage,
    /// The form of responses, as it was reviewed.
    pub snapshots: Snapshots,
    fixtures: BTreeMap<Fixture, String>,
    /// The keys of the target file, and those that were made on the way.
    redaction: Mutex<Redaction>,
    lines: Mutex<VecDeque<String>>,
    /// What cases change and give back, as it was before the first of them.
    originals: Mutex<BTreeMap<String, Value>>,
}

impl Deployment {
    /// A deployment, with what was found of it.
    #[must_use]
    pub fn new(
        client: Client,
        keys: Keys,
        hooks: Hooks,
        features: Vec<Feature>,
        invariants: Invariants,
        with_decisions: bool,
        coverage: Coverage,
    ) -> Self {
        Self {
            budget: Budget::new(&limits::Budget::default(), &keys),
            redaction: Mutex::new(keys.redaction()),
            client,
            keys,
            hooks,
            features,
            with_decisions,
            invariants,
            pace: Pace::default(),
            intents: Intents::default(),
            coverage,
            snapshots: Snapshots::default(),
            fixtures: BTreeMap::new(),
            lines: Mutex::default(),
            originals: Mutex::default(),
        }
    }

    /// With these limits of a target file.
    #[must_use]
    pub fn with_limits(mut self, budget: &limits::Budget, pace: &limits::Pace) -> Self {
        self.budget = Budget::new(budget, &self.keys);
        self.pace = Pace::new(pace);
        self
    }

    /// With a journal to write to; without one, nothing is changed.
    #[must_use]
    pub fn with_journal(mut self, journal: Journal) -> Self {
        self.intents = Intents::new(journal);
        self
    }

    /// With these fixtures.
    #[must_use]
    pub fn with_fixtures(mut self, found: Found) -> Self {
        self.fixtures = found.ids;
        self.lines = Mutex::new(found.lines_to_detach.into());
        self
    }

    /// With these snapshots.
    #[must_use]
    pub fn with_snapshots(mut self, snapshots: Snapshots) -> Self {
        self.snapshots = snapshots;
        self
    }

    /// Keeps a secret that was made on the way out of every report.
    pub fn hide(&self, secret: Secret) {
        self.intents.redact(secret.clone());
        self.known().add(secret);
    }

    /// Takes out of reports every key that is known.
    #[must_use]
    pub fn redaction(&self) -> Redaction {
        self.known().clone()
    }

    fn known(&self) -> MutexGuard<'_, Redaction> {
        let known = self.redaction.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    /// A fixture's id.
    #[must_use]
    pub fn fixture(&self, fixture: Fixture) -> Option<String> {
        self.fixtures.get(&fixture).cloned()
    }

    /// A line that may be detached; each is handed out once, any one: two runs side by side should seldom want the same.
    #[must_use]
    pub fn take_line(&self) -> Option<String> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = getrandom::u64().unwrap_or_default();
        let count = u64::try_from(lines.len()).ok().filter(|count| *count > 0)?;
        let index = usize::try_from(drawn % count).unwrap_or_default();
        lines.remove(index)
    }

    /// Takes back lines that were handed out and not detached.
    pub fn give_back_lines(&self, lines: impl Iterator<Item = String>) {
        let mut left = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend(lines);
    }

    /// The lines that may still be detached.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// What was there before any case of this run changed it.
    #[must_use]
    pub fn original(&self, path: &str) -> Option<Value> {
        let originals = self
            .originals
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        originals.get(path).cloned()
    }

    /// Notes what is there before a case changes it; the first note stays.
    pub fn note_original(&self, path: &str, value: Value) {
        let mut originals = self
            .originals
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let btree_map::Entry::Vacant(entry) = originals.entry(path.to_owned()) {
            self.intents.note_original(path, &value);
            entry.insert(value);
        }
    }

    /// Makes a request at the deployment's pace. One that comes in a minute that others have used up is made again in the next,
    /// and a read that a deployment is too busy for (503) after a rest.
    ///
    /// # Errors
    /// No response came.
    pub async fn send(&self, request: &Request) -> Result<Response, ClientError> {
        let (mut minutes, mut reads) = (1, 1);
        loop {
            self.pace.wait(request).await;
            let response = self.client.send(request).await?;
            self.pace.learn(request, &response);
            match response.status.as_u16() {
                429 if minutes < MINUTES => {
                    minutes += 1;
                    self.pace.wait_for_next_minute().await;
                }
                // What else it may have begun before it said so, nobody knows.
                503 if request.method == Method::GET && reads < READS => {
                    reads += 1;
                    tokio::time::sleep(REST_OF_BUSY).await;
                }
                _ => return Ok(response),
            }
        }
    }

    /// What is wrong with a response, by the invariants; and a note of what was exercised.
    #[must_use]
    pub fn judge(&self, request: &Request, response: &Response) -> Vec<Violation> {
        self.budget.learn(request, response);
        if let Some(operation) = self.invariants.operation(request) {
            self.coverage.note(operation, response);
        }
        self.invariants.judge(request, response, Utc::now())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::json;

    use super::*;
    use crate::run::stub::{self, Stub};

    #[tokio::test]
    async fn read_of_a_busy_deployment_is_made_again_and_a_write_is_not() {
        let is_busy = AtomicBool::new(true);
        let stub = Stub::start(move |_, target| {
            let is_busy = target != "/once" || is_busy.swap(false, Ordering::Relaxed);
            let status = if is_busy { 503 } else { 200 };
            (status, String::new(), json!({}))
        })
        .await;
        let deployment = stub::deployment(&stub.base_url, "");
        let (once, always, write) = (
            Request::get("/once"),
            Request::get("/always"),
            Request::post("/write"),
        );
        let responses = tokio::join!(
            deployment.send(&once),
            deployment.send(&always),
            deployment.send(&write),
        );
        assert_eq!(responses.0.unwrap().status, 200);
        assert_eq!(responses.1.unwrap().status, 503);
        assert_eq!(responses.2.unwrap().status, 503);
        let asked = |target: &str| stub.asked().iter().filter(|asked| *asked == target).count();
        assert_eq!(
            (asked("/once"), asked("/always"), asked("/write")),
            (2, READS, 1)
        );
    }
}
