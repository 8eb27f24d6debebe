//! The snapshots of a run. Where the deployment holds our own data set, each case's responses are
//! compared with the reviewed ones at its end; at the end of a run, snapshots that no case takes
//! are reported, and those to be reviewed are written. For any other baseline a run is recorded,
//! and compared when it has ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use clap::ValueEnum;
use openapi_document::{Document, DocumentError};
use parking_lot::Mutex;

use super::{
    baseline::{Baseline, File, Header, is_code, parts},
    comparison::{self, Comparing, ComparisonReport},
    folder::write_new,
    noise,
    places::Places,
    recording::{Recording, Subject, observe},
    text::{self, Entry, Headers},
};
use crate::verdict::{CaseOutcome, CaseResult};

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

/// The use that a run makes of its responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Purpose {
    /// Nothing: the document alone says what a response looks like.
    #[default]
    None,
    /// Compares them with those of our own data set.
    Judge,
    /// Keeps them.
    Record,
}

#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    places: Arc<Places>,
    /// The reviewed responses of our own data set.
    accepted: Arc<Baseline>,
    mode: Mode,
    purpose: Purpose,
    seen: Mutex<BTreeSet<String>>,
    /// Those to be reviewed, by name.
    fresh: Mutex<BTreeMap<String, File>>,
    recording: Mutex<Recording>,
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
            accepted: Arc::new(Baseline::built_in()),
            mode,
            purpose: if is_seeded { Purpose::Judge } else { Purpose::None },
            ..Self::default()
        })
    }

    /// From now on responses are kept, for a baseline or for a comparison with one.
    pub(crate) fn record(&mut self) {
        self.purpose = Purpose::Record;
    }

    /// Returns these snapshots for another run, with nothing taken yet.
    pub(crate) fn again(&self) -> Self {
        Self {
            places: Arc::clone(&self.places),
            accepted: Arc::clone(&self.accepted),
            mode: self.mode,
            purpose: self.purpose,
            ..Self::default()
        }
    }

    /// Takes what the run got so far.
    pub(crate) fn take_recording(&self) -> Recording {
        std::mem::take(&mut *self.recording.lock())
    }

    /// Makes a baseline of recordings of one deployment, and one recording without what differs
    /// between them.
    pub(crate) fn baseline(
        &self,
        header: Header,
        recordings: Vec<Recording>,
    ) -> (Baseline, Recording) {
        let count = recordings.len();
        let (recording, noise) = noise::merged(&self.places, recordings);
        let header = Header { recordings: count, noise, ..header };
        (Baseline::of(header, &recording), recording)
    }

    pub(crate) fn compare(
        &self,
        baseline: &Baseline,
        recording: &Recording,
        comparing: Comparing,
    ) -> ComparisonReport {
        comparison::compare(&self.places, baseline, recording, comparing)
    }

    /// Returns true if the end of a case is of interest.
    pub(crate) fn is_used(&self) -> bool {
        self.purpose != Purpose::None
    }

    /// Keeps what a case got, or compares it with the reviewed responses. Where a response breaks
    /// an invariant, that is reported instead.
    pub(crate) fn end_case(&self, subject: Subject<'_>, has_violations: bool) -> CaseResult {
        match self.purpose {
            Purpose::Record => self.recording.lock().add(&self.places, subject),
            Purpose::Judge if subject.has_passed && !has_violations => return self.judge(subject),
            _ => {}
        }
        Ok(())
    }

    fn judge(&self, subject: Subject<'_>) -> CaseResult {
        for (name, mut entries) in self.gather(subject) {
            if !subject.is_derived {
                entries.retain(|entry| !self.is_known(&name, &entry.response));
            }
            if entries.is_empty() {
                continue;
            }
            self.seen.lock().insert(name.clone());
            let text = text::write(&entries);
            match (self.mode, self.accepted.files.get(&name)) {
                (_, Some(accepted)) if accepted.text == text.trim_end() => {}
                (Mode::New, _) => {
                    let description = subject.description.to_owned();
                    self.fresh.lock().insert(name, File { description, text });
                }
                (Mode::Accepted, None) => {}
                (Mode::Required, None) => {
                    return Err(CaseOutcome::error(format!(
                        "The response has no accepted snapshot {name}: {HELP}, and build again."
                    )));
                }
                (_, Some(accepted)) => {
                    return Err(difference(&name, &accepted.text, &entries, text));
                }
            }
        }
        Ok(())
    }

    /// The responses that a case compares, by the names of their snapshots.
    fn gather(&self, subject: Subject<'_>) -> BTreeMap<String, Vec<Entry>> {
        let mut groups: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for one in observe(&self.places, subject, subject.taken, Headers::Listed) {
            let name =
                if subject.is_derived { one.key.name() } else { one.key.name_of(subject.case) };
            let entries = groups.entry(name).or_default();
            text::push(entries, one.request, one.snapshot.to_string(), one.exchange);
        }
        groups
    }

    /// Returns true if a snapshot of the document's codes has this response, so that it is no news.
    fn is_known(&self, name: &str, response: &str) -> bool {
        let Some((operation, status, _)) = parts(name) else { return false };
        let codes = self.accepted.files.iter().filter(|(known, _)| {
            parts(known).is_some_and(|(other, of, label)| {
                other == operation && of == status && is_code(label)
            })
        });
        let mut responses = codes.flat_map(|(_, file)| text::responses(&file.text));
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
        if self.mode == Mode::Accepted || self.purpose != Purpose::Judge {
            return Vec::new();
        }
        let seen = self.seen.lock();
        let is_stale = |name: &&String| {
            let label = parts(name).map_or("", |(_, _, label)| label);
            let is_shared = is_code(label);
            let takes =
                |(id, shares): &&(&str, bool)| if is_shared { *shares } else { *id == label };
            let mut takers = cases.iter().filter(takes);
            !seen.contains(*name) && takers.all(|(id, _)| passed.contains(id))
        };
        let stale = self.accepted.files.keys().filter(is_stale).map(|name| {
            format!(
                "No case takes the snapshot {name} any more: delete \
                 conformance/snapshots/{name}.snap."
            )
        });
        let shown: BTreeSet<(&str, u16)> = (seen.iter().chain(self.accepted.files.keys()))
            .filter_map(|name| parts(name))
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
        if self.mode == Mode::New && self.purpose != Purpose::Judge {
            return Err("snapshots can only be taken on a deployment with the feature `seeded`, \
                        with decisions on and without a baseline; `cargo xtask conformance` \
                        starts one"
                .to_owned());
        }
        let fresh = self.fresh.lock();
        for (name, file) in &*fresh {
            write_new(Path::new(FOLDER), name, file, file!())?;
        }
        Ok(fresh.len())
    }
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
