//! What a case works with: the deployment, its keys and fixtures, and a record of everything that travelled.
//!
//! It refuses to hide an exchange: each is kept with what the laws say of it.

use std::sync::Arc;

use super::{definition::Case, snapshot::SharedAlbum, stop::Stop};
use crate::{
    exchange::{Answer, Call},
    laws::Breach,
    run::deployment::Deployment,
    secret::Secret,
    target::{CreatedKey, Fixture, Hook, Role},
};

/// One exchange of a case.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What was asked.
    pub call: Call,
    /// The address, where it is not the deployment's API, such as a link's.
    pub address: Option<String>,
    /// What came.
    pub answer: Result<Answer, String>,
    /// What the laws say.
    pub breaches: Vec<Breach>,
}

/// A case's surroundings.
#[derive(Debug)]
pub struct Scene<'run> {
    deployment: &'run Arc<Deployment>,
    pub(super) case: &'static Case,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) album: SharedAlbum,
    remains: Vec<String>,
}

impl<'run> Scene<'run> {
    /// An empty scene of a case, on a deployment.
    #[must_use]
    pub fn new(deployment: &'run Arc<Deployment>, case: &'static Case) -> Self {
        Self {
            deployment,
            case,
            exchanges: Vec::new(),
            album: SharedAlbum::default(),
            remains: Vec::new(),
        }
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
    pub fn key(&self, role: Role) -> Result<Secret, Stop> {
        let key = self.deployment.keys.get(role);
        key.cloned()
            .ok_or_else(|| Stop::missing(format!("key {}", role.name())))
    }

    /// The key with all scopes.
    ///
    /// # Errors
    /// As [`Scene::key`].
    pub fn all(&self) -> Result<Secret, Stop> {
        self.key(Role::All)
    }

    /// A fixture's id.
    ///
    /// # Errors
    /// Skipped: the target names none, and none was found.
    pub fn fixture(&self, fixture: Fixture) -> Result<String, Stop> {
        let id = self.deployment.fixture(fixture);
        id.ok_or_else(|| Stop::missing(format!("fixture {}", fixture.name())))
    }

    /// A line that may be detached for good; each is handed out once.
    ///
    /// # Errors
    /// Skipped: none is left.
    pub fn take_line(&mut self) -> Result<String, Stop> {
        let line = self.deployment.take_line();
        line.ok_or_else(|| Stop::missing("fixture lines_to_detach (none is left)"))
    }

    /// Gives back lines that were not detached: other cases may.
    pub fn give_back_lines(&mut self, lines: impl Iterator<Item = String>) {
        self.deployment.give_back_lines(lines);
    }

    /// Makes a call, at the deployment's pace: never a 429 that the case is not about.
    ///
    /// # Errors
    /// No answer came.
    pub async fn send(&mut self, call: Call) -> Result<Answer, Stop> {
        let answer = self.deployment.send(&call).await;
        let breaches = match &answer {
            Ok(answer) => self.deployment.judge(&call, answer),
            Err(_) => Vec::new(),
        };
        self.keep(call, None, answer, breaches)
    }

    /// Makes a call at once, whatever is left of the minute: for cases about the limit itself.
    ///
    /// # Errors
    /// No answer came.
    pub async fn send_at_once(&mut self, call: Call) -> Result<Answer, Stop> {
        self.deployment.pace.wait_for_turn(&call).await;
        let answer = self.deployment.client.send(&call).await;
        let breaches = match &answer {
            Ok(answer) => self.deployment.judge(&call, answer),
            Err(_) => Vec::new(),
        };
        self.keep(call, None, answer, breaches)
    }

    /// Makes several calls at once.
    ///
    /// # Errors
    /// One of them got no answer.
    pub async fn send_all(&mut self, calls: Vec<Call>) -> Result<Vec<Answer>, Stop> {
        for call in &calls {
            self.deployment.pace.wait_for_turn(call).await;
        }
        let client = &self.deployment.client;
        let sent = calls.iter().map(|call| client.send(call));
        let sent = futures_util::future::join_all(sent).await;
        let mut answers = Vec::new();
        for (call, answer) in calls.into_iter().zip(sent) {
            let breaches = match &answer {
                Ok(answer) => self.deployment.judge(&call, answer),
                Err(_) => Vec::new(),
            };
            answers.push(self.keep(call, None, answer, breaches)?);
        }
        Ok(answers)
    }

    /// Follows a link that the deployment gave. It stands outside the API, so the laws do not judge it.
    ///
    /// # Errors
    /// No answer came.
    pub async fn follow(&mut self, address: &str, call: Call) -> Result<Answer, Stop> {
        let answer = self.deployment.client.send_to(address, &call).await;
        self.keep(call, Some(address.to_owned()), answer, Vec::new())
    }

    /// Asks the target's owner to do what no call can do.
    ///
    /// # Errors
    /// The hook is missing, or failed.
    pub async fn operate(&mut self, hook: Hook, values: &[(&str, &str)]) -> Result<String, Stop> {
        if !self.deployment.hooks.has(hook) {
            return Err(Stop::missing(format!("hook {}", hook.name())));
        }
        Ok(self.deployment.hooks.run(hook, values).await?)
    }

    /// Has the target's owner make a key with all scopes. It is revoked by whoever asked for it.
    ///
    /// # Errors
    /// The hook is missing, or failed.
    pub async fn make_key(&mut self) -> Result<CreatedKey, Stop> {
        if !self.deployment.hooks.has(Hook::CreateKey) {
            return Err(Stop::missing(format!("hook {}", Hook::CreateKey.name())));
        }
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
        call: Call,
        address: Option<String>,
        answer: Result<Answer, crate::exchange::ClientError>,
        breaches: Vec<Breach>,
    ) -> Result<Answer, Stop> {
        let answer = answer.map(|mut answer| {
            answer.exchange = self.exchanges.len();
            answer
        });
        self.exchanges.push(Exchange {
            call,
            address,
            answer: match &answer {
                Ok(answer) => Ok(answer.clone()),
                Err(error) => Err(error.to_string()),
            },
            breaches,
        });
        Ok(answer?)
    }
}
