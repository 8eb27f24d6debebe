//! Compares a case's responses with their snapshots: by value if the deployment holds the data set,
//! else by status, media type and error code.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use clap::ValueEnum;
use payout_openapi::{Document, DocumentError};
use serde_json::Value;

use super::{
    accepted::{self, Accepted},
    group::{Group, gather},
    places::Places,
    text,
};
use crate::{
    exchange::{Request, Response},
    invariants::Invariants,
    secret::Redaction,
    verdict::Diagnosis,
};

/// How to resolve a finding about a snapshot.
const HELP: &str =
    "run `INSTA_UPDATE=new cargo xtask conformance -- --snapshots new`, then `cargo insta review`";

/// How to treat responses without a snapshot, and those that differ from theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Ignore responses without one; a difference is a failure
    #[default]
    Accepted,
    /// Report a response without one as an error, and a snapshot that no case takes
    Required,
    /// Write new and changed ones for review
    New,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) exchange: usize,
    /// JSON pointers of texts that are random in each run.
    pub(crate) random: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'case> {
    /// Derived cases have none: their snapshots are named for the error code.
    pub(crate) case: Option<&'case str>,
    /// Its sentence and requirement, for the file of a new snapshot.
    pub(crate) description: &'case str,
    pub(crate) invariants: &'case Invariants,
    pub(crate) redaction: &'case Redaction,
    /// Ids of fixtures, and what they name.
    pub(crate) fixtures: &'case [(String, &'static str)],
    /// By index; none if no response of the API came.
    pub(crate) exchanges: &'case [Option<(&'case Request, &'case Response)>],
    pub(crate) taken: &'case [Recorded],
}

#[derive(Debug)]
pub(crate) enum Mismatch {
    Differs(Diagnosis),
    Missing(String),
}

#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    places: Arc<Places>,
    pub(super) accepted: Arc<Accepted>,
    pub(super) mode: Mode,
    pub(super) by_value: bool,
    with_decisions: bool,
    pub(super) seen: Mutex<BTreeSet<String>>,
    /// Those to be reviewed: description and text, by name.
    pub(super) fresh: Mutex<BTreeMap<String, (String, String)>>,
}

impl Snapshots {
    /// Those of this binary, for responses that this document describes. Values are compared if the
    /// deployment holds the data set and is tested against decisions.
    pub(crate) fn new(
        document: &Document,
        mode: Mode,
        is_seeded: bool,
        with_decisions: bool,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            places: Arc::new(Places::of(document)?),
            accepted: Arc::new(accepted::all()),
            mode,
            by_value: is_seeded && with_decisions,
            with_decisions,
            ..Self::default()
        })
    }

    /// The same snapshots for another run, with nothing taken yet.
    pub(crate) fn again(&self) -> Self {
        Self {
            places: Arc::clone(&self.places),
            accepted: Arc::clone(&self.accepted),
            mode: self.mode,
            by_value: self.by_value,
            with_decisions: self.with_decisions,
            ..Self::default()
        }
    }

    pub(crate) fn judge(&self, subject: Subject<'_>) -> Result<(), Mismatch> {
        for mut group in gather(&self.places, subject) {
            if subject.case.is_some() {
                let name = group.name.clone();
                group.retain(|response| !self.is_known(&name, response));
            }
            if group.entries.is_empty() {
                continue;
            }
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.insert(group.name.clone());
            drop(seen);
            let accepted = self.accepted.get(&group.name);
            if self.by_value {
                self.judge_values(subject.description, &group, accepted)?;
            } else if let Some(accepted) = accepted {
                self.judge_kinds(&group, accepted)?;
            }
        }
        Ok(())
    }

    /// Whether a snapshot of the document's codes has this response, so that it is no news.
    fn is_known(&self, name: &str, response: &str) -> bool {
        let Some((operation, status, _)) = accepted::parts(name) else { return false };
        let codes = self.accepted.iter().filter(|(known, _)| {
            accepted::parts(known).is_some_and(|(other, of, label)| {
                other == operation && of == status && accepted::is_code(label)
            })
        });
        let mut responses = codes.flat_map(|(_, text)| text::responses(text));
        responses.any(|(head, body)| format!("{head}\n\n{body}").trim_end() == response.trim_end())
    }

    fn judge_values(
        &self,
        description: &str,
        group: &Group,
        accepted: Option<&String>,
    ) -> Result<(), Mismatch> {
        let text = text::write(&group.entries);
        if accepted.is_some_and(|accepted| accepted == text.trim_end()) {
            return Ok(());
        }
        match (self.mode, accepted) {
            (Mode::New, _) => {
                let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
                fresh.insert(group.name.clone(), (description.to_owned(), text));
                Ok(())
            }
            (Mode::Accepted, None) => Ok(()),
            (Mode::Required, None) => Err(Mismatch::Missing(format!(
                "The response has no accepted snapshot {}: {HELP}, and build again.",
                group.name
            ))),
            (_, Some(accepted)) => Err(Mismatch::Differs(group.difference(accepted, text))),
        }
    }

    /// Each response has the status, media type and error code of a reviewed one. How many there
    /// are, and in which order, depends on the deployment's data.
    fn judge_kinds(&self, group: &Group, accepted: &str) -> Result<(), Mismatch> {
        let kind = |(head, body): (&str, &str)| kind_of(head, body, self.with_decisions);
        let reviewed: BTreeSet<String> = text::responses(accepted).map(kind).collect();
        for (entry, exchange) in group.entries.iter().zip(&group.exchanges) {
            let response = &entry.response;
            let actual = kind(response.split_once("\n\n").unwrap_or((response, "")));
            if !reviewed.contains(&actual) {
                let reviewed: Vec<String> = reviewed.into_iter().collect();
                return Err(Mismatch::Differs(Diagnosis {
                    what: format!(
                        "The response is of another kind than its snapshot {}.",
                        group.name
                    ),
                    expected: Some(reviewed.join("\n\nor\n\n")),
                    actual: Some(actual),
                    exchange: Some(*exchange),
                    missing: Vec::new(),
                }));
            }
        }
        Ok(())
    }
}

/// Status and media type, and the error code if decisions count.
fn kind_of(head: &str, body: &str, with_codes: bool) -> String {
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    let content_type = lines.find_map(|line| line.strip_prefix("content-type: "));
    let media_type = content_type.and_then(|value| value.split(';').next());
    let media_type = media_type.unwrap_or("no content type").trim().to_lowercase();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    match body.pointer("/error/code").filter(|_| with_codes) {
        Some(code) => format!("{status}\n{media_type}\nerror.code: {code}"),
        None => format!("{status}\n{media_type}"),
    }
}

#[cfg(test)]
mod tests;
