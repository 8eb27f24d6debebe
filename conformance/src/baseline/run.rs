//! The snapshots of a run. Where the deployment holds our own data set, what a case got is compared
//! with the reviewed baseline when the case ends; for any other baseline a run is recorded, and
//! compared when it has ended.

use std::{path::Path, sync::Arc};

use clap::ValueEnum;
use openapi_document::{Document, DocumentError};
use parking_lot::Mutex;

use super::{
    comparison::{self, Comparing, ComparisonReport},
    folder::write_new,
    group,
    model::{Baseline, Header},
    noise,
};
use crate::{
    snapshot::{
        places::Places,
        recording::{CaseRecording, KnownCase, Recording, Subject},
    },
    verdict::{CaseOutcome, CaseResult},
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");
/// The commands that resolve a finding about a snapshot.
const HELP: &str = "run `cargo xtask conformance -- --snapshots new`, then `cargo insta review`";

/// How to treat cases without a snapshot, and responses that differ from theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Ignore cases without one; a difference is a failure
    #[default]
    Accepted,
    /// Report a case without one as an error, and a snapshot that no case takes
    Required,
    /// Write new and changed ones for review
    New,
}

#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    places: Arc<Places>,
    purpose: Purpose,
    mode: Mode,
    recording: Mutex<Recording>,
}

/// The purpose for which a run keeps responses.
#[derive(Clone, Debug, Default)]
enum Purpose {
    #[default]
    Nothing,
    /// A baseline of this deployment, or a comparison with one.
    Recording,
    /// The reviewed responses of our own data set, which the deployment holds.
    Review(Arc<Baseline>),
}

/// The findings about snapshots at the end of one of our own runs.
#[derive(Debug, Default)]
pub(crate) struct Review {
    /// Snapshots that were written for review.
    pub(crate) written: usize,
    pub(crate) findings: Vec<String>,
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
        let purpose = if is_seeded {
            Purpose::Review(Arc::new(Baseline::built_in()))
        } else {
            Purpose::Nothing
        };
        Ok(Self { places: Arc::new(Places::of(document)?), purpose, mode, ..Self::default() })
    }

    /// Keeps all further responses, for a baseline or for a comparison with one.
    pub(crate) fn record(&mut self) {
        self.purpose = Purpose::Recording;
    }

    /// Returns these snapshots for another run, with nothing taken yet.
    pub(crate) fn again(&self) -> Self {
        Self {
            places: Arc::clone(&self.places),
            purpose: self.purpose.clone(),
            mode: self.mode,
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
        !matches!(self.purpose, Purpose::Nothing)
    }

    fn accepted(&self) -> Option<&Baseline> {
        match &self.purpose {
            Purpose::Review(accepted) => Some(accepted),
            Purpose::Nothing | Purpose::Recording => None,
        }
    }

    /// Keeps what a case got, after a comparison with the reviewed responses if there are any.
    /// Where the case failed or a response breaks an invariant, that is reported instead.
    pub(crate) fn end_case(&self, subject: Subject<'_>, has_violations: bool) -> CaseResult {
        let case = CaseRecording::of(&self.places, subject, self.accepted().is_some());
        if let Some(accepted) = self.accepted() {
            if !subject.has_passed || has_violations {
                return Ok(());
            }
            self.judge(accepted, subject.case.id, &case)?;
        }
        self.recording.lock().cases.insert(subject.case.id.to_owned(), case);
        Ok(())
    }

    fn judge(&self, accepted: &Baseline, id: &str, case: &CaseRecording) -> CaseResult {
        let expected = match (self.mode, accepted.expected_of(id)) {
            (Mode::Required, None) if !case.observations.is_empty() => {
                return Err(CaseOutcome::error(format!(
                    "The case has no accepted snapshots: {HELP}, and build again."
                )));
            }
            (Mode::New, _) | (_, None) => return Ok(()),
            (_, Some(expected)) => expected,
        };
        match comparison::first_difference(&self.places, id, &expected, case) {
            None => Ok(()),
            Some(found) => {
                let (place, what) = (found.place, group::what(&found.difference));
                Err(CaseOutcome::failed(
                    format!("The response differs from its snapshot {}: {what}", place.snapshot),
                    place.baseline.unwrap_or_default(),
                    place.response.unwrap_or_default(),
                    found.exchange,
                ))
            }
        }
    }

    /// Compares the reviewed baseline with the one that a run of our own makes of it, from the
    /// cases that passed: snapshots that are new, changed or taken by no case any more are written
    /// for review or reported, and so are operations and statuses without one.
    pub(crate) fn review(
        &self,
        cases: &[KnownCase],
        answered: &[(&str, u16)],
    ) -> Result<Review, String> {
        let Some(accepted) = self.accepted().filter(|_| self.mode != Mode::Accepted) else {
            return match self.mode {
                Mode::New => Err("snapshots can only be taken on a deployment with the feature \
                                  `seeded`, with decisions on and without a baseline; `cargo \
                                  xtask conformance` starts one"
                    .to_owned()),
                _ => Ok(Review::default()),
            };
        };
        let updated = accepted.updated(self.take_recording(), cases);
        let (changed, gone) = updated.changes(accepted);
        let mut review = Review::default();
        if self.mode == Mode::New {
            write_new(Path::new(FOLDER), &changed, file!())?;
            review.written = changed.len();
        } else {
            let changed = changed.keys();
            let changed =
                changed.map(|name| format!("The snapshot {name} is out of date: {HELP}."));
            review.findings.extend(changed);
        }
        review.findings.extend(gone.iter().map(|name| {
            format!(
                "No case takes the snapshot {name} any more: delete \
                 conformance/snapshots/{name}.snap."
            )
        }));
        for (operation, status) in answered {
            let prefix = format!("{operation}/{status}_");
            if !updated.files.keys().any(|name| name.starts_with(&prefix)) {
                review.findings.push(format!(
                    "{operation} answered {status}, and no case takes a snapshot of it: add \
                     `context.snapshot(&response)` to one."
                ));
            }
        }
        Ok(review)
    }
}

#[cfg(test)]
mod tests;
