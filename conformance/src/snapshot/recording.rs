//! A run's responses, each case's as snapshots. Names of values hold within a case.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    kind,
    normalizer::{Normalizer, sorted},
    places::{Places, UNROUTED},
    text::{Snapshot, without_secrets},
};
use crate::{
    exchange::{Request, Response, curl},
    invariants::Invariants,
    secret::Redaction,
};

/// In place of an error code.
pub(crate) const SUCCESS: &str = "success";
/// In place of the code of an error without one.
const NO_CODE: &str = "NO_CODE";
/// Characters of a code in the name of a file.
const CODE_LENGTH: usize = 60;

/// An exchange that a case compares with a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) exchange: usize,
    /// JSON pointers of texts that are random in each run.
    pub(crate) random: Vec<&'static str>,
}

/// A case of the suite.
#[derive(Clone, Debug)]
pub(crate) struct KnownCase {
    pub(crate) id: &'static str,
    /// Its sentence and requirement, for the file of a new snapshot.
    pub(crate) description: String,
    /// Snapshots of derived cases are named for the error code, others for the case.
    pub(crate) is_derived: bool,
}

/// A case that has ended, with its exchanges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'case> {
    pub(crate) case: &'case KnownCase,
    pub(crate) has_passed: bool,
    pub(crate) base_url: &'case str,
    pub(crate) invariants: &'case Invariants,
    pub(crate) redaction: &'case Redaction,
    /// Ids of fixtures, and what they name.
    pub(crate) fixtures: &'case [(String, &'static str)],
    /// Exchanges by index; `None` if no response of the API came.
    pub(crate) exchanges: &'case [Option<(&'case Request, &'case Response)>],
    pub(crate) taken: &'case [Recorded],
    /// Exchanges whose responses depend on what else runs at the same time.
    pub(crate) unsteady: &'case [usize],
}

/// What responses have in common that a snapshot is named for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) operation: String,
    pub(crate) status: u16,
    /// The error code, or [`SUCCESS`].
    pub(crate) code: String,
}

impl Key {
    /// Returns true if both have the same operation and status.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.operation == other.operation && self.status == other.status
    }

    /// The name of the snapshot that the document describes. A code is the deployment's text, and
    /// the name is that of a file.
    pub(crate) fn name(&self) -> String {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let code = self.code.chars().take(CODE_LENGTH);
        let code: String = code.map(|letter| if plain(letter) { letter } else { '-' }).collect();
        self.name_of(&code)
    }

    /// The name of the snapshot of a case.
    pub(crate) fn name_of(&self, case: &str) -> String {
        format!("{}/{}_{case}", self.operation, self.status)
    }
}

/// One response that a case got.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) key: Key,
    /// Method and target.
    pub(crate) request: String,
    pub(crate) snapshot: Snapshot,
    /// The body as it came, to be judged by the document.
    pub(crate) json: Option<Value>,
    /// Index of its exchange in the case.
    pub(crate) exchange: usize,
    /// The request as a command line.
    pub(crate) curl: String,
    /// True if the case compares it with a snapshot; else it is an error that came by the way.
    pub(crate) is_taken: bool,
}

/// What one case got in a run.
#[derive(Clone, Debug)]
pub(crate) struct CaseRecording {
    pub(crate) description: String,
    pub(crate) is_derived: bool,
    pub(crate) has_passed: bool,
    pub(crate) observations: Vec<Observation>,
}

/// What all cases of a run got.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    pub(crate) cases: BTreeMap<String, CaseRecording>,
}

impl CaseRecording {
    /// The responses that a case compares with snapshots. Elsewhere than on our own data set no
    /// person chose them: there all errors belong to them, and nothing that depends on chance.
    pub(crate) fn of(places: &Places, subject: Subject<'_>, is_own: bool) -> Self {
        let mut recorded = subject.taken.to_vec();
        for (exchange, (_, response)) in answered(subject) {
            let is_new = recorded.iter().all(|taken| taken.exchange != exchange);
            if !is_own && is_new && response.status.as_u16() >= 400 {
                recorded.push(Recorded { exchange, random: Vec::new() });
            }
        }
        recorded.retain(|one| is_own || !subject.unsteady.contains(&one.exchange));
        recorded.sort_by_key(|recorded| recorded.exchange);
        let mut observations = observe(places, subject, &recorded);
        for observation in &mut observations {
            observation.request = without_secrets(&observation.request);
            observation.snapshot = observation.snapshot.map(&without_secrets);
        }
        Self {
            description: subject.case.description.clone(),
            is_derived: subject.case.is_derived,
            has_passed: subject.has_passed,
            observations,
        }
    }
}

/// The exchanges with a response of the API.
fn answered<'case>(
    subject: Subject<'case>,
) -> impl Iterator<Item = (usize, (&'case Request, &'case Response))> {
    let exchanges = subject.exchanges.iter().enumerate();
    exchanges.filter_map(|(index, exchange)| Some((index, (*exchange)?)))
}

fn operation(subject: Subject<'_>, request: &Request) -> String {
    subject.invariants.operation(request).unwrap_or(UNROUTED).to_owned()
}

/// What stands for a code in names.
pub(crate) fn code_of(status: u16, code: &str) -> &str {
    match code {
        "" if status >= 400 => NO_CODE,
        "" => SUCCESS,
        code => code,
    }
}

fn key(subject: Subject<'_>, request: &Request, response: &Response) -> Key {
    let status = response.status.as_u16();
    let code = code_of(status, response.text("/error/code")).to_owned();
    Key { operation: operation(subject, request), status, code }
}

/// These responses of a case as snapshots.
fn observe(places: &Places, subject: Subject<'_>, recorded: &[Recorded]) -> Vec<Observation> {
    let mut normalizer = Normalizer::new(places.request_id.clone());
    for (id, identity) in subject.fixtures {
        normalizer.learn_id(id, identity);
    }
    for (_, (request, response)) in answered(subject) {
        let members = places.body(&key(subject, request, response));
        if let (Some(json), Some(members)) = (&response.json, members) {
            normalizer.learn(json, members, "");
        }
    }
    let mut observations = Vec::new();
    for Recorded { exchange, random } in recorded {
        let Some((request, response)) = subject.exchanges.get(*exchange).copied().flatten() else {
            continue;
        };
        let key = key(subject, request, response);
        let members = places.body(&key);
        let hidden = |text: &str| subject.redaction.replace(text, kind::KEY);
        let target = normalizer.target(&hidden(&request.target));
        let snapshot = Snapshot::of(&mut normalizer, response, members, random);
        let url = format!("{}{}", subject.base_url, request.target);
        observations.push(Observation {
            key,
            request: format!("{} {target}", request.method),
            snapshot: snapshot.map(&hidden),
            json: response.json.as_ref().map(sorted),
            exchange: *exchange,
            curl: curl::line(&url, request, subject.redaction),
            is_taken: subject.taken.iter().any(|taken| taken.exchange == *exchange),
        });
    }
    observations
}

#[cfg(test)]
pub(crate) mod tests;
