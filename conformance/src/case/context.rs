//! What a case works with: the deployment, its keys and fixtures, and a record of everything that travelled.
//!
//! It refuses to hide an exchange: each is kept with what the invariants say of it.

use std::sync::Arc;

use super::{definition::Case, outcome::CaseOutcome, recorder::SharedRecorder};
use crate::{
    deployment::{Deployment, budget::Share},
    exchange::{Request, Response},
    invariants::Violation,
    secret::Secret,
    target::{CreatedKey, Fixture, Hook, Role},
};

/// One exchange of a case.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What was asked.
    pub request: Request,
    /// The address, where it is not the deployment's API, such as a link's.
    pub address: Option<String>,
    /// What came.
    pub response: Result<Response, String>,
    /// What the invariants say.
    pub violations: Vec<Violation>,
}

/// A case's surroundings.
#[derive(Debug)]
pub struct CaseContext<'run> {
    deployment: &'run Arc<Deployment>,
    pub(super) case: &'static Case,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) recorder: SharedRecorder,
    remains: Vec<String>,
    share: Share,
    has_operated: bool,
}

impl<'run> CaseContext<'run> {
    /// An empty context of a case, on a deployment, with the requests that are reserved for it.
    pub(crate) fn new(
        deployment: &'run Arc<Deployment>,
        case: &'static Case,
        share: Share,
    ) -> Self {
        Self {
            deployment,
            case,
            exchanges: Vec::new(),
            recorder: SharedRecorder::default(),
            remains: Vec::new(),
            share,
            has_operated: false,
        }
    }

    /// Requests of one attempt, if they are more than the case declares.
    pub(crate) fn excess(&self) -> Option<u32> {
        self.share.excess()
    }

    /// Whether a hook was run.
    pub(crate) fn has_operated(&self) -> bool {
        self.has_operated
    }

    /// The case begins anew, because another run disturbed it.
    pub(super) fn begin_again(&self) {
        self.share.begin_again();
    }

    /// Counts a request before it is sent.
    fn count(&self) -> Result<(), CaseOutcome> {
        self.share.take().map_err(CaseOutcome::Error)
    }

    /// The deployment.
    #[must_use]
    pub fn deployment(&self) -> &'run Arc<Deployment> {
        self.deployment
    }

    /// Whether decisions are judged by.
    #[must_use]
    pub fn with_decisions(&self) -> bool {
        self.deployment.with_decisions
    }

    /// A key.
    ///
    /// # Errors
    /// Skipped: the target has none for this role.
    pub fn key(&self, role: Role) -> Result<Secret, CaseOutcome> {
        let key = self.deployment.keys.get(role);
        key.cloned()
            .ok_or_else(|| CaseOutcome::missing(format!("key {}", role.name())))
    }

    /// The key with all scopes.
    ///
    /// # Errors
    /// As [`CaseContext::key`].
    pub fn all(&self) -> Result<Secret, CaseOutcome> {
        self.key(Role::All)
    }

    /// A fixture's id.
    ///
    /// # Errors
    /// Skipped: the target names none, and none was found.
    pub fn fixture(&self, fixture: Fixture) -> Result<String, CaseOutcome> {
        let id = self.deployment.fixture(fixture);
        id.ok_or_else(|| CaseOutcome::missing(format!("fixture {}", fixture.name())))
    }

    /// A line that may be detached for good; each is handed out once.
    ///
    /// # Errors
    /// Skipped: none is left.
    pub fn take_line(&mut self) -> Result<String, CaseOutcome> {
        let line = self.deployment.fixtures.take_line();
        line.ok_or_else(|| CaseOutcome::missing("fixture lines_to_detach (none is left)"))
    }

    /// Gives back lines that were not detached: other cases may.
    pub fn give_back_lines(&mut self, lines: impl Iterator<Item = String>) {
        self.deployment.fixtures.return_lines(lines);
    }

    /// Makes a request, at the deployment's pace: never a 429 that the case is not about.
    ///
    /// # Errors
    /// No response came.
    pub async fn send(&mut self, request: Request) -> Result<Response, CaseOutcome> {
        self.count()?;
        let response = self.deployment.send(&request).await;
        let violations = match &response {
            Ok(response) => self.deployment.judge(&request, response),
            Err(_) => Vec::new(),
        };
        self.keep(request, None, response, violations)
    }

    /// Makes a request at once, whatever is left of the minute: for cases about the limit itself.
    ///
    /// # Errors
    /// No response came.
    pub async fn send_at_once(&mut self, request: Request) -> Result<Response, CaseOutcome> {
        self.count()?;
        self.deployment.pace.wait_for_turn(&request).await;
        let response = self.deployment.client.send(&request).await;
        let violations = match &response {
            Ok(response) => self.deployment.judge(&request, response),
            Err(_) => Vec::new(),
        };
        self.keep(request, None, response, violations)
    }

    /// Makes several requests at once.
    ///
    /// # Errors
    /// One of them got no response.
    pub async fn send_all(&mut self, requests: Vec<Request>) -> Result<Vec<Response>, CaseOutcome> {
        for request in &requests {
            self.count()?;
            self.deployment.pace.wait_for_turn(request).await;
        }
        let client = &self.deployment.client;
        let sent = requests.iter().map(|request| client.send(request));
        let sent = futures_util::future::join_all(sent).await;
        let mut responses = Vec::new();
        for (request, response) in requests.into_iter().zip(sent) {
            let violations = match &response {
                Ok(response) => self.deployment.judge(&request, response),
                Err(_) => Vec::new(),
            };
            responses.push(self.keep(request, None, response, violations)?);
        }
        Ok(responses)
    }

    /// Follows a link that the deployment gave. It stands outside the API, so the invariants do not judge it.
    ///
    /// # Errors
    /// No response came.
    pub async fn follow(
        &mut self,
        address: &str,
        request: Request,
    ) -> Result<Response, CaseOutcome> {
        self.count()?;
        let response = self.deployment.client.send_to(address, &request).await;
        self.keep(request, Some(address.to_owned()), response, Vec::new())
    }

    /// Asks the target's owner to do what no request can do.
    ///
    /// # Errors
    /// The hook is missing, or failed.
    pub async fn operate(
        &mut self,
        hook: Hook,
        values: &[(&str, &str)],
    ) -> Result<String, CaseOutcome> {
        if !self.deployment.hooks.has(hook) {
            return Err(CaseOutcome::missing(format!("hook {}", hook.name())));
        }
        self.has_operated = true;
        Ok(self.deployment.hooks.run(hook, values).await?)
    }

    /// Has the target's owner make a key with all scopes. It is revoked by whoever asked for it.
    ///
    /// # Errors
    /// The hook is missing, or failed.
    pub async fn make_key(&mut self) -> Result<CreatedKey, CaseOutcome> {
        if !self.deployment.hooks.has(Hook::CreateKey) {
            return Err(CaseOutcome::missing(format!(
                "hook {}",
                Hook::CreateKey.name()
            )));
        }
        self.has_operated = true;
        let made = self.deployment.hooks.create_key("conformance").await?;
        self.deployment.hide(made.key.clone());
        Ok(made)
    }

    /// Tells that a change stays.
    pub fn remains(&mut self, what: impl Into<String>) {
        self.remains.push(what.into());
    }

    /// What travelled, and what stays.
    #[must_use]
    pub fn end(self) -> (Vec<Exchange>, Vec<String>) {
        (self.exchanges, self.remains)
    }

    fn keep(
        &mut self,
        request: Request,
        address: Option<String>,
        response: Result<Response, crate::exchange::ClientError>,
        violations: Vec<Violation>,
    ) -> Result<Response, CaseOutcome> {
        let response = response.map(|mut response| {
            response.exchange = self.exchanges.len();
            response
        });
        self.exchanges.push(Exchange {
            request,
            address,
            response: match &response {
                Ok(response) => Ok(response.clone()),
                Err(error) => Err(error.to_string()),
            },
            violations,
        });
        Ok(response?)
    }
}
