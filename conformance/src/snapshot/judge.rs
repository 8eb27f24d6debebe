//! Compares a case's responses with their snapshots where the deployment holds the data set. At the
//! end of a run, reports snapshots that no case takes, and writes those to be reviewed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use clap::ValueEnum;
use openapi_document::{Document, DocumentError};
use parking_lot::Mutex;
use serde_json::Value;

use super::{
    accepted::{self, Accepted},
    group::gather,
    places::Places,
    text::{self, Entry},
};
use crate::{
    exchange::{Request, Response},
    invariants::Invariants,
    secret::Redaction,
    verdict::{CaseOutcome, CaseResult},
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");
/// The commands that resolve a finding about a snapshot.
const HELP: &str = "run `cargo xtask conformance -- --snapshots new`, then `cargo insta review`";

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
    /// Exchanges by index; `None` if no response of the API came.
    pub(crate) exchanges: &'case [Option<(&'case Request, &'case Response)>],
    pub(crate) taken: &'case [Recorded],
}

#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    places: Arc<Places>,
    accepted: Arc<Accepted>,
    mode: Mode,
    is_seeded: bool,
    seen: Mutex<BTreeSet<String>>,
    /// Those to be reviewed: description and text, by name.
    fresh: Mutex<BTreeMap<String, (String, String)>>,
}

impl Snapshots {
    /// Those of this binary, for responses that this document describes. Nothing is compared unless
    /// the deployment holds the data set and is tested against decisions: elsewhere the document
    /// alone says what a response looks like.
    pub(crate) fn new(
        document: &Document,
        mode: Mode,
        is_seeded: bool,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            places: Arc::new(Places::of(document)?),
            accepted: Arc::new(accepted::all()),
            mode,
            is_seeded,
            ..Self::default()
        })
    }

    /// Returns these snapshots for another run, with nothing taken yet.
    pub(crate) fn again(&self) -> Self {
        Self {
            places: Arc::clone(&self.places),
            accepted: Arc::clone(&self.accepted),
            mode: self.mode,
            is_seeded: self.is_seeded,
            ..Self::default()
        }
    }

    pub(crate) fn judge(&self, subject: Subject<'_>) -> CaseResult {
        if !self.is_seeded {
            return Ok(());
        }
        for (name, mut entries) in gather(&self.places, subject) {
            if subject.case.is_some() {
                entries.retain(|entry| !self.is_known(&name, &entry.response));
            }
            if entries.is_empty() {
                continue;
            }
            self.seen.lock().insert(name.clone());
            let text = text::write(&entries);
            match (self.mode, self.accepted.get(&name)) {
                (_, Some(accepted)) if accepted == text.trim_end() => {}
                (Mode::New, _) => {
                    self.fresh.lock().insert(name, (subject.description.to_owned(), text));
                }
                (Mode::Accepted, None) => {}
                (Mode::Required, None) => {
                    return Err(CaseOutcome::error(format!(
                        "The response has no accepted snapshot {name}: {HELP}, and build again."
                    )));
                }
                (_, Some(accepted)) => {
                    return Err(difference(&name, accepted, &entries, text));
                }
            }
        }
        Ok(())
    }

    /// Returns true if a snapshot of the document's codes has this response, so that it is no news.
    fn is_known(&self, name: &str, response: &str) -> bool {
        let Some((operation, status, _)) = accepted::parts(name) else { return false };
        let codes = self.accepted.iter().filter(|(known, _)| {
            accepted::parts(known).is_some_and(|(other, of, label)| {
                other == operation && of == status && accepted::is_code(label)
            })
        });
        let mut responses = codes.flat_map(|(_, text)| text::responses(text));
        responses.any(|known| known == response.trim_end())
    }

    /// Returns the findings about snapshots at the end of one of this project's own runs: those
    /// that no case takes, and operations and statuses without one. A snapshot is judged once every
    /// case that may take it has passed: a case by hand its own, any case that is `true` here a
    /// shared one.
    pub(crate) fn findings(
        &self,
        cases: &[(&str, bool)],
        passed: &BTreeSet<&str>,
        answered: &[(&str, u16)],
    ) -> Vec<String> {
        if self.mode == Mode::Accepted || !self.is_seeded {
            return Vec::new();
        }
        let seen = self.seen.lock();
        let is_stale = |name: &&String| {
            let label = accepted::parts(name).map_or("", |(_, _, label)| label);
            let is_shared = accepted::is_code(label);
            let takes =
                |(id, shares): &&(&str, bool)| if is_shared { *shares } else { *id == label };
            let mut takers = cases.iter().filter(takes);
            !seen.contains(*name) && takers.all(|(id, _)| passed.contains(id))
        };
        let stale = self.accepted.keys().filter(is_stale).map(|name| {
            format!(
                "No case takes the snapshot {name} any more: delete \
                 conformance/snapshots/{name}.snap."
            )
        });
        let shown: BTreeSet<(&str, u16)> = (seen.iter().chain(self.accepted.keys()))
            .filter_map(|name| accepted::parts(name))
            .map(|(operation, status, _)| (operation, status))
            .collect();
        let missing = answered.iter().filter(|response| !shown.contains(response));
        let missing = missing.map(|(operation, status)| {
            format!(
                "{operation} answered {status}, and no case takes a snapshot of it: add \
                 `context.snapshot(&response)` to one."
            )
        });
        stale.chain(missing).collect()
    }

    /// Writes those to be reviewed, in the mode for that; returns how many.
    pub(crate) fn write_new(&self) -> Result<usize, String> {
        if self.mode == Mode::New && !self.is_seeded {
            return Err("snapshots can only be taken on a deployment with the feature `seeded`, \
                        with decisions on; `cargo xtask conformance` starts one"
                .to_owned());
        }
        let fresh = self.fresh.lock();
        for (name, (description, text)) in &*fresh {
            write_for_review(name, description, text)?;
        }
        Ok(fresh.len())
    }
}

/// Writes a text beside the accepted one, if any.
fn write_for_review(name: &str, description: &str, text: &str) -> Result<(), String> {
    let path = Path::new(FOLDER).join(format!("{name}.snap.new"));
    let description = Value::from(description);
    let head = format!("source: {}\ndescription: {description}", file!());
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(&path, format!("---\n{head}\n---\n{text}\n")))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// The difference, shown by the first response that differs.
fn difference(name: &str, accepted: &str, entries: &[Entry], text: String) -> CaseOutcome {
    let mut reviewed = text::responses(accepted);
    let first = entries.iter().find(|entry| reviewed.next() != Some(entry.response.trim_end()));
    let what = format!("The response differs from its snapshot {name}.");
    CaseOutcome::failed(what, accepted, text, first.or(entries.last()).map(|entry| entry.exchange))
}

#[cfg(test)]
mod tests;
