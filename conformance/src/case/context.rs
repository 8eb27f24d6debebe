//! The context of a running case: the deployment, its keys and fixtures, and a record of every
//! exchange with the violations that the invariants found in it.

use std::{sync::Arc, time::Instant};

use super::{CaseOutcome, CaseResult, definition::Case, recorder::Recorder};
use crate::{
    deployment::{Deployment, budget::Share},
    exchange::{ClientError, Key, Request, Response},
    invariants::Violation,
    journal::Original,
    secret::{Redaction, Secret},
    target::{CreatedKey, Fixture, Hook, Role},
};

#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) request: Request,
    /// The address, where it is outside the API, such as a link.
    pub(crate) address: Option<String>,
    /// The response, or why there is none.
    pub(crate) response: Result<Response, String>,
    pub(crate) violations: Vec<Violation>,
}

impl Exchange {
    /// Adds what this exchange makes secret: an altered key, which leaks almost the whole key, and
    /// the query of a link, which allows the download.
    pub(crate) fn hide_secrets(&self, redaction: &mut Redaction) {
        if let Key::Altered(altered) = &self.request.key {
            redaction.add(altered.clone());
        }
        let response = self.response.as_ref().ok();
        let link = response.map(|response| response.text("/data/downloadUrl"));
        for address in link.into_iter().chain(self.address.as_deref()) {
            if let Some((_, query)) = address.split_once('?') {
                redaction.add(Secret::new("LINK_QUERY", query));
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct CaseContext<'run> {
    deployment: &'run Arc<Deployment>,
    pub(crate) case: &'static Case,
    pub(crate) exchanges: Vec<Exchange>,
    pub(super) recorder: Recorder,
    /// Indices of exchanges whose responses depend on what else runs at the same time.
    pub(super) unsteady: Vec<usize>,
    pub(crate) remains: Vec<String>,
    pub(crate) share: Share,
    pub(crate) has_operated: bool,
    /// True if the case announced its changes, so that the engine restores them.
    pub(crate) has_announced: bool,
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
            recorder: Recorder::new(Some(Vec::new())),
            unsteady: Vec::new(),
            remains: Vec::new(),
            share,
            has_operated: false,
            has_announced: false,
        }
    }

    /// Announces a change, which is restored after the case. The value is on the disk when this
    /// returns; it is returned as it was before any case changed it.
    pub(crate) fn will_change(&mut self, original: Original) -> CaseResult<Original> {
        let kept = self.deployment.intents.will_change(self.case.id, original);
        let original = kept.map_err(CaseOutcome::error)?;
        self.has_announced = true;
        Ok(original)
    }

    fn count(&self) -> Result<(), CaseOutcome> {
        self.share.take().map_err(CaseOutcome::error)
    }

    pub(crate) fn deployment(&self) -> &'run Arc<Deployment> {
        self.deployment
    }

    pub(crate) fn with_decisions(&self) -> bool {
        self.deployment.with_decisions
    }

    /// A key. Skipped: the target has none for this role.
    pub(crate) fn key(&self, role: Role) -> Result<Secret, CaseOutcome> {
        let key = self.deployment.keys.get(role);
        key.cloned().ok_or_else(|| CaseOutcome::missing(format!("key {}", role.name())))
    }

    /// The key with all scopes, of the organisation that the case works in.
    pub(crate) fn all(&self) -> Result<Secret, CaseOutcome> {
        let creates = self.case.keys.contains(&Role::Sandbox);
        self.key(if creates { Role::Sandbox } else { Role::All })
    }

    /// A fixture's id. Skipped: the target names none, and none was found.
    pub(crate) fn fixture(&self, fixture: Fixture) -> Result<String, CaseOutcome> {
        let id = self.deployment.fixture(fixture);
        id.ok_or_else(|| CaseOutcome::missing(format!("fixture {}", fixture.name())))
    }

    /// A line that may be detached; each is handed out once. Skipped: none is left.
    pub(crate) fn take_line(&mut self) -> Result<String, CaseOutcome> {
        let line = self.deployment.fixtures.take_line();
        line.ok_or_else(|| CaseOutcome::missing("fixture lines_to_detach (none is left)"))
    }

    /// Returns lines that were not detached, for other cases.
    pub(crate) fn give_back_lines(&mut self, lines: impl Iterator<Item = String>) {
        self.deployment.fixtures.return_lines(lines);
    }

    /// Sends a request at the deployment's pace, so that a 429 of a used-up minute is sent again.
    pub(crate) async fn send(&mut self, request: Request) -> CaseResult<Response> {
        self.count()?;
        let response = self.deployment.send(&request).await;
        self.record(request, response)
    }

    /// Sends a request that restores something, even where the budget is used up.
    pub(crate) async fn send_to_restore(&mut self, request: Request) -> CaseResult<Response> {
        // Counted as far as there is something left.
        let _ = self.count();
        let response = self.deployment.send_directly(&request).await;
        self.record(request, response)
    }

    /// Sends a request at once, whatever is left of the minute: for cases about the limit itself.
    pub(crate) async fn send_at_once(&mut self, request: Request) -> CaseResult<Response> {
        self.count()?;
        self.deployment.pace.wait_for_turn(&request).await?;
        let response = self.deployment.client.send(&request).await;
        self.record(request, response)
    }

    /// Sends requests at the same time.
    pub(crate) async fn send_all(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Vec<Response>, CaseOutcome> {
        for request in &requests {
            self.count()?;
            self.deployment.pace.wait_for_turn(request).await?;
        }
        let client = &self.deployment.client;
        let sent = requests.iter().map(|request| client.send(request));
        let sent = futures_util::future::join_all(sent).await;
        let exchanges = requests.into_iter().zip(sent);
        let first = self.exchanges.len();
        let responses: Vec<_> =
            exchanges.map(|(request, response)| self.record(request, response)).collect();
        let responses: Vec<Response> = responses.into_iter().collect::<CaseResult<_>>()?;
        if !are_alike(&responses) {
            // Which of them is the first is chance.
            self.unsteady.extend(first..self.exchanges.len());
        }
        Ok(responses)
    }

    /// Follows a link that the deployment gave. A link is outside the API: no invariant applies.
    pub(crate) async fn follow(&mut self, address: &str, request: Request) -> CaseResult<Response> {
        self.count()?;
        let response = self.deployment.client.send_to(address, &request).await;
        self.keep(request, Some(address.to_owned()), response, Vec::new())
    }

    /// Requests of those that the case declares that are not sent yet.
    pub(crate) fn requests_left(&self) -> u32 {
        self.case.requests.saturating_sub(u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX))
    }

    /// Runs an operator hook, for what no request can do.
    pub(crate) async fn operate(
        &mut self,
        hook: Hook,
        values: &[(&str, &str)],
    ) -> Result<String, CaseOutcome> {
        if !self.deployment.hooks.has(hook) {
            return Err(CaseOutcome::missing(format!("hook {}", hook.name())));
        }
        self.has_operated = true;
        let begun = Instant::now();
        let output = self.deployment.hooks.run(hook, values).await;
        self.deployment.own_changes.note(begun.elapsed(), None);
        output.map_err(CaseOutcome::error)
    }

    /// Restores something with an operator hook; where the hook fails, `what` is reported as not
    /// restored.
    pub(crate) async fn restore(
        &mut self,
        hook: Hook,
        values: &[(&str, &str)],
        what: impl Into<String>,
    ) -> Result<(), CaseOutcome> {
        let restored = self.operate(hook, values).await;
        if restored.is_err() {
            self.remains(what);
        }
        restored.map(drop)
    }

    /// Creates a key with all scopes by an operator hook. The caller revokes it.
    pub(crate) async fn make_key(&mut self) -> Result<CreatedKey, CaseOutcome> {
        if !self.deployment.hooks.has(Hook::CreateKey) {
            return Err(CaseOutcome::missing(format!("hook {}", Hook::CreateKey.name())));
        }
        self.has_operated = true;
        let made = self.deployment.hooks.create_key("conformance").await;
        let made = made.map_err(CaseOutcome::error)?;
        self.deployment.hide(made.key.clone());
        Ok(made)
    }

    /// Reports a change that is not restored, once.
    pub(crate) fn remains(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.remains.contains(&what) {
            self.remains.push(what);
        }
    }

    fn record(
        &mut self,
        request: Request,
        response: Result<Response, ClientError>,
    ) -> CaseResult<Response> {
        let violations = match &response {
            Ok(response) => self.deployment.judge(&request, response),
            Err(_) => Vec::new(),
        };
        if let Ok(response) = &response {
            self.deployment.own_changes.note_request(&request, response);
        }
        self.note_detach(&request, response.as_ref().ok());
        self.note_creation(&request, response.as_ref().ok());
        self.keep(request, None, response, violations)
    }

    /// A detach has no inverse: one that succeeded stays, and one without a response may.
    fn note_detach(&mut self, request: &Request, response: Option<&Response>) {
        let path = request.path().strip_prefix("/api/v1/commission-lines/");
        let Some(line) = path.and_then(|path| path.strip_suffix("/detach")) else {
            return;
        };
        match response {
            Some(response) if !response.is_success() => {}
            Some(_) => self.remains(format!("the line {line} is no longer in its payout")),
            None => self.remains(format!("the line {line} may no longer be in its payout")),
        }
    }

    /// Reports what was created: it stays, because no operation deletes.
    fn note_creation(&mut self, request: &Request, response: Option<&Response>) {
        if let Some(created) =
            response.filter(|response| matches!(response.status.as_u16(), 201 | 202))
        {
            let id = created.text("/data/id").to_owned();
            self.remains(format!("{id}, made by {} {}", request.method, request.path()));
        }
    }

    fn keep(
        &mut self,
        request: Request,
        address: Option<String>,
        response: Result<Response, ClientError>,
        violations: Vec<Violation>,
    ) -> CaseResult<Response> {
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

#[cfg(test)]
impl<'run> CaseContext<'run> {
    pub(crate) async fn of(deployment: &'run Arc<Deployment>, case: &'static Case) -> Self {
        let share = deployment.budget.begin(case.requests, &[]).await;
        Self::new(deployment, case, share.unwrap())
    }
}

/// Returns true if all have the same status, and the same number of headers: a replayed response
/// has one more than the first.
fn are_alike(responses: &[Response]) -> bool {
    let form = |response: &Response| (response.status, response.headers.keys_len());
    responses.iter().all(|response| form(response) == form(&responses[0]))
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    #[test]
    fn concurrent_responses_differ_by_status_and_by_the_header_of_a_replay() {
        let response = |status, headers: &[&'static str]| {
            let headers =
                headers.iter().map(|name| (name.parse().unwrap(), "true".parse().unwrap()));
            Response::new(status, headers.collect::<HeaderMap>(), String::new())
        };
        let first = || response(StatusCode::OK, &[]);
        let replayed = response(StatusCode::OK, &["idempotent-replayed"]);
        assert!(are_alike(&[]) && are_alike(&[first(), first()]));
        assert!(!are_alike(&[first(), replayed]));
        assert!(!are_alike(&[first(), response(StatusCode::CONFLICT, &[])]));
    }
}
