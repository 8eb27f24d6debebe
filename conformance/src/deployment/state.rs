//! The state that all cases of a run share: connection, keys, fixtures, limits, invariants.

use std::{sync::Arc, time::Duration};

use chrono::Utc;
use hyper::Method;
use openapi_document::{Document, DocumentError};
use parking_lot::Mutex;

use super::{
    budget::Budget,
    controls::Controls,
    fixtures::Fixtures,
    intents::Intents,
    own_changes::OwnChanges,
    pace::{MINUTE, Pace},
};
use crate::{
    baseline::{Mode, Snapshots},
    exchange::{Client, ClientError, Request, Response},
    invariants::{Invariants, Violation},
    secret::{Redaction, Secret},
    target::{Feature, Fixture, Hooks, Keys, TargetFile},
};

/// Tries of a request while the minute's allowance is used up.
const MINUTES: usize = 3;
/// Tries of a read while the deployment answers 503.
const READS: usize = 3;
/// The pause between two of them.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Deployment {
    pub(crate) client: Client,
    pub(crate) keys: Keys,
    pub(crate) hooks: Hooks,
    pub(crate) features: Vec<Feature>,
    /// True if it is tested against decisions too; false for the specification alone.
    pub(crate) with_decisions: bool,
    pub(crate) invariants: Arc<Invariants>,
    pub(crate) snapshots: Snapshots,
    pub(crate) fixtures: Fixtures,
    pub(crate) budget: Arc<Budget>,
    pub(crate) pace: Pace,
    pub(crate) intents: Intents,
    pub(crate) seed: u64,
    pub(crate) own_changes: OwnChanges,
    /// Responses to the valid requests of this run.
    pub(crate) controls: Controls,
    /// The keys of the target file, and those that were created during the run.
    redaction: Mutex<Redaction>,
}

impl Deployment {
    /// The deployment of a target file, tested against this document. It has the fixtures that the
    /// file names and no journal, so that cases which change data do not run.
    pub(crate) fn new(
        client: Client,
        file: &TargetFile,
        keys: Keys,
        document: &Document,
        with_decisions: bool,
        mode: Mode,
    ) -> Result<Self, DocumentError> {
        let is_seeded = file.has(Feature::Seeded) && with_decisions;
        let budget = Arc::new(Budget::new(&file.budget, &keys));
        Ok(Self {
            client,
            hooks: file.hooks(keys.redaction()),
            features: file.features.iter().copied().collect(),
            with_decisions,
            invariants: Arc::new(Invariants::new(document, with_decisions)?),
            snapshots: Snapshots::new(document, mode, is_seeded)?,
            fixtures: Fixtures::named(file),
            pace: Pace::new(&file.pace, Arc::clone(&budget.deadline)),
            budget,
            intents: Intents::default(),
            seed: 1,
            own_changes: OwnChanges::default(),
            controls: Controls::default(),
            redaction: Mutex::new(keys.redaction()),
            keys,
        })
    }

    /// Returns this deployment for another run, perhaps at another address, such as a proxy's. Both
    /// share what was compiled and discovered, the lines to detach, the budget, the deadline, the
    /// file's requests per minute and the journal. Claims about rates, recorded snapshots, own
    /// changes and original values begin anew.
    pub(crate) fn again(&self, client: Client) -> Self {
        Self {
            client,
            keys: self.keys.clone(),
            hooks: self.hooks.clone(),
            features: self.features.clone(),
            with_decisions: self.with_decisions,
            invariants: Arc::clone(&self.invariants),
            snapshots: self.snapshots.again(),
            fixtures: self.fixtures.clone(),
            budget: Arc::clone(&self.budget),
            pace: self.pace.again(),
            intents: self.intents.again(),
            seed: self.seed,
            own_changes: OwnChanges::default(),
            controls: Controls::default(),
            redaction: Mutex::new(self.redaction()),
        }
    }

    /// Removes a secret that was created during the run from every report.
    pub(crate) fn hide(&self, secret: Secret) {
        self.intents.redact(secret.clone());
        self.redaction.lock().add(secret);
    }

    pub(crate) fn redaction(&self) -> Redaction {
        self.redaction.lock().clone()
    }

    pub(crate) fn fixture(&self, fixture: Fixture) -> Option<String> {
        self.fixtures.id(fixture).map(str::to_owned)
    }

    /// Sends a request at the deployment's pace. It is sent again in the next minute if this
    /// minute's allowance is used up, and a read also if the deployment is busy (503), as long as
    /// the budget and the deadline allow.
    pub(crate) async fn send(&self, request: &Request) -> Result<Response, ClientError> {
        self.send_by(&self.client, request).await
    }

    /// Sends a request past the proxy, so that a change made through a fault is restored without
    /// it; after the deadline once more, in the next minute.
    pub(crate) async fn send_directly(&self, request: &Request) -> Result<Response, ClientError> {
        let client = self.client.direct();
        match self.send_by(&client, request).await {
            Err(ClientError::Deadline(_)) => {
                tokio::time::sleep(MINUTE).await;
                client.send(request).await
            }
            sent => sent,
        }
    }

    async fn send_by(&self, client: &Client, request: &Request) -> Result<Response, ClientError> {
        let (mut minutes, mut reads) = (1, 1);
        loop {
            self.pace.wait(request).await?;
            let response = client.send(request).await?;
            self.pace.learn(request, &response);
            match response.status.as_u16() {
                429 if minutes == MINUTES => {
                    self.pace.disbelieve(request);
                    return Ok(response);
                }
                429 if self.pace.believes(request, &response) && self.budget.take_one() => {
                    minutes += 1;
                    self.pace.wait_for_next_minute(request).await?;
                }
                // A write may have begun before the deployment answered 503.
                503 if request.method == Method::GET && reads < READS && self.budget.take_one() => {
                    reads += 1;
                    let busy = "the deployment answers 503";
                    self.budget.deadline.sleep(BUSY_PAUSE, busy).await?;
                }
                _ => return Ok(response),
            }
        }
    }

    pub(crate) fn judge(&self, request: &Request, response: &Response) -> Vec<Violation> {
        self.budget.learn(request, response);
        self.invariants.judge(request, response, Utc::now())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::json;

    use super::*;
    use crate::deployment::stub::{self, Stub};

    #[tokio::test]
    async fn read_of_a_busy_deployment_is_sent_again_and_a_write_is_not() {
        let is_busy = AtomicBool::new(true);
        let stub = Stub::start(move |_, target| {
            let is_busy = target != "/once" || is_busy.swap(false, Ordering::Relaxed);
            let status = if is_busy { 503 } else { 200 };
            (status, String::new(), json!({}))
        })
        .await;
        let deployment = stub::deployment(&stub.base_url, "");
        let (once, always, write) =
            (Request::get("/once"), Request::get("/always"), Request::post("/write"));
        let responses = tokio::join!(
            deployment.send(&once),
            deployment.send(&always),
            deployment.send(&write),
        );
        assert_eq!(responses.0.unwrap().status, 200);
        assert_eq!(responses.1.unwrap().status, 503);
        assert_eq!(responses.2.unwrap().status, 503);
        let count = |target: &str| stub.requests().iter().filter(|sent| *sent == target).count();
        assert_eq!((count("/once"), count("/always"), count("/write")), (2, READS, 1));
    }

    #[tokio::test]
    async fn request_in_a_used_up_minute_is_sent_again_unless_its_headers_deny_it_or_time_is_up() {
        let stub = Stub::start(|_, target| {
            let left = if target == "/denied" { 119 } else { 0 };
            (429, format!("x-ratelimit-remaining-minute: {left}\r\n"), json!({}))
        })
        .await;
        let deployment = stub::deployment(&stub.base_url, "");
        deployment.budget.deadline.set(Duration::from_secs(1));
        let denied = deployment.send(&Request::get("/denied")).await.unwrap();
        assert_eq!(denied.status, 429);
        let error = deployment.send(&Request::get("/used-up")).await.unwrap_err().to_string();
        assert!(error.contains("--deadline 1"), "{error}");
        assert!(error.contains("x-ratelimit-remaining-minute: 0"), "{error}");
        assert_eq!(stub.requests(), ["/denied", "/used-up"]);
        assert_eq!(deployment.budget.stops().len(), 1);
    }
}
