//! A case's responses against their snapshots: values where the data set is known, shapes elsewhere.
//!
//! It refuses a failure without a reviewed text: what nobody accepted, nobody can differ from.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use clap::ValueEnum;
use payout_openapi::{Document, DocumentError};

use super::{
    accepted::{self, Accepted},
    group::{Group, gather},
    places::Places,
    shape, text,
};
use crate::{
    case::{Case, CaseOutcome, context::Exchange},
    invariants::Invariants,
    secret::Redaction,
};

/// How to mend what is told of a snapshot.
const MEND: &str =
    "run `INSTA_UPDATE=new cargo xtask conformance -- --snapshots new`, then `cargo insta review`";

/// What becomes of responses without an accepted snapshot, and of those that differ from theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Differing from an accepted one is a failure; without one nothing is said.
    #[default]
    Accepted,
    /// Besides, each response that a case shows wants one, and each one a response: for this project's own runs.
    Required,
    /// What is new or differs is written beside the accepted ones, for review.
    New,
}

/// A response that a case wants to be held against its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Index of its exchange in the case.
    pub exchange: usize,
    /// JSON pointers of texts that the case draws anew in each run.
    pub drawn: Vec<&'static str>,
}

/// A case, and what of it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'case> {
    pub(crate) case: &'static Case,
    pub(crate) invariants: &'case Invariants,
    pub(crate) redaction: &'case Redaction,
    /// Ids of fixtures, and what they name.
    pub(crate) fixtures: &'case [(String, &'static str)],
    pub(crate) exchanges: &'case [Exchange],
    pub(crate) taken: &'case [Recorded],
}

/// The snapshots of a run.
#[derive(Debug, Default)]
pub struct Snapshots {
    places: Places,
    pub(super) accepted: Accepted,
    pub(super) mode: Mode,
    pub(super) by_value: bool,
    with_decisions: bool,
    /// Names of all that were taken.
    pub(super) seen: Mutex<BTreeSet<String>>,
    /// Those that wait for review: sentence and text, by name.
    pub(super) fresh: Mutex<BTreeMap<String, (String, String)>>,
}

impl Snapshots {
    /// Those in this binary, for responses that this document describes. Values are compared where the deployment holds the
    /// data set, and decisions are judged by.
    ///
    /// # Errors
    /// One of the document's schemas cannot be used.
    pub fn new(
        document: &Document,
        mode: Mode,
        is_seeded: bool,
        with_decisions: bool,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            places: Places::of(document)?,
            accepted: accepted::all(),
            mode,
            by_value: is_seeded && with_decisions,
            with_decisions,
            ..Self::default()
        })
    }

    /// Holds a case's responses against their snapshots.
    ///
    /// # Errors
    /// Failed: one differs. In this project's own runs an error: one is missing.
    pub(crate) fn judge(&self, subject: Subject<'_>) -> Result<(), CaseOutcome> {
        for group in gather(&self.places, subject) {
            self.note(&group.name);
            let accepted = self.accepted.get(&group.name);
            if self.by_value {
                self.judge_values(subject.case, &group, accepted)?;
            } else if let Some(accepted) = accepted {
                self.judge_shapes(&group, accepted)?;
            }
        }
        Ok(())
    }

    fn judge_values(
        &self,
        case: &Case,
        group: &Group<'_>,
        accepted: Option<&String>,
    ) -> Result<(), CaseOutcome> {
        let text = text::write(&group.entries);
        if accepted.is_some_and(|accepted| accepted == text.trim_end()) {
            return Ok(());
        }
        match (self.mode, accepted) {
            (Mode::New, _) => {
                let sentence = format!("{} ({})", case.sentence, case.clause);
                let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
                fresh.insert(group.name.clone(), (sentence, text));
                Ok(())
            }
            (Mode::Accepted, None) => Ok(()),
            (Mode::Required, None) => Err(CaseOutcome::Error(format!(
                "The response has no accepted snapshot {}: {MEND}, and build anew.",
                group.name
            ))),
            (_, Some(accepted)) => Err(group.differs(accepted, text)),
        }
    }

    /// Whatever came has a shape that was reviewed; how often, and in which order, depends on the deployment's data.
    fn judge_shapes(&self, group: &Group<'_>, accepted: &str) -> Result<(), CaseOutcome> {
        let shape =
            |head: &str, body: &str| shape::of(head, body, group.schema, self.with_decisions);
        let reviewed: BTreeSet<String> = text::responses(accepted)
            .map(|(head, body)| shape(head, body))
            .collect();
        for (entry, exchange) in group.entries.iter().zip(&group.exchanges) {
            let (head, body) = entry
                .response
                .split_once("\n\n")
                .unwrap_or((&entry.response, ""));
            let told = shape(head, body);
            if !reviewed.contains(&told) {
                let reviewed: Vec<String> = reviewed.into_iter().collect();
                return Err(CaseOutcome::failed(
                    format!(
                        "The response has another shape than its snapshot {}.",
                        group.name
                    ),
                    reviewed.join("\n\nor\n\n"),
                    told,
                    Some(*exchange),
                ));
            }
        }
        Ok(())
    }

    fn note(&self, name: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests;
