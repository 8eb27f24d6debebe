//! Intents: what a case is about to change, on the disk before it begins, and what came of it.
//!
//! It refuses a change that it cannot write down.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::deployment::Deployment;
use crate::{
    case::{Case, CaseOutcome, Changes},
    journal::{Entry, Journal, JournalError},
    secret::Secret,
    target::Fixture,
};

/// What stands in the journal in the place of a case, where several share something.
const RUN: &str = "run";
/// Where a partner shows what a PATCH may set, and the field of the PATCH. `portalAccess` is not shown.
pub(crate) const PATCH_SHOWN: [(&str, &str); 6] = [
    ("/name", "name"),
    ("/domain", "domain"),
    ("/tierId", "tierId"),
    ("/phaseId", "phaseId"),
    ("/experienceTemplateId", "experienceTemplateId"),
    ("/owner/id", "partnerOwnerId"),
];

/// A run's way to its journal.
#[derive(Debug, Default)]
pub struct Intents {
    journal: Option<Journal>,
    /// Originals that were told, until the run ends.
    originals: Mutex<Vec<Entry>>,
}

impl Intents {
    /// To this journal.
    #[must_use]
    pub fn new(journal: Journal) -> Self {
        Self {
            journal: Some(journal),
            originals: Mutex::default(),
        }
    }

    /// Takes a secret that was made on the way out of what is written.
    pub fn redact(&self, secret: Secret) {
        if let Some(journal) = &self.journal {
            journal.redact(secret);
        }
    }

    /// Writes what a case is about to change; nothing for a case that changes nothing. When this returns, it is on the disk.
    ///
    /// # Errors
    /// It cannot be written: the case must not begin.
    pub fn begin(
        &self,
        case: &Case,
        deployment: &Deployment,
    ) -> Result<Option<Entry>, CaseOutcome> {
        if case.changes < Changes::Restored {
            return Ok(None);
        }
        let Some(journal) = &self.journal else {
            return Err(CaseOutcome::missing(
                "a journal, without which nothing is changed",
            ));
        };
        let entry = journal.intend(case.id, &intent(case, deployment));
        let entry = entry.map_err(|error: JournalError| CaseOutcome::Error(error.to_string()))?;
        Ok(Some(entry))
    }

    /// Writes how a case ended, and what it left.
    pub fn end(&self, entry: Option<Entry>, outcome: &Result<(), CaseOutcome>, remains: &[String]) {
        let (Some(journal), Some(entry)) = (&self.journal, entry) else {
            return;
        };
        let ended = match outcome {
            Ok(()) => "pass",
            Err(CaseOutcome::Failed(_)) => "fail",
            Err(CaseOutcome::Inconclusive(_)) => "inconclusive",
            Err(CaseOutcome::Skipped(_)) => "skipped",
            Err(CaseOutcome::Error(what)) => what,
        };
        let told = if remains.is_empty() {
            ended.to_owned()
        } else {
            format!("{ended}; remains: {}", remains.join("; "))
        };
        // Where it cannot be written, the next run tells an intent too many, never one too few.
        let _ = journal.done(entry, &told);
    }

    /// Writes what is there before a case changes it: whoever settles a killed run finds it here.
    pub fn note_original(&self, id: &str, value: &Value) {
        let Some(journal) = &self.journal else {
            return;
        };
        let what = format!("{id} was {}", restored(value));
        // The case's own intent is written; this tells more of it.
        if let Ok(entry) = journal.intend(RUN, &what) {
            let mut originals = self
                .originals
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            originals.push(entry);
        }
    }

    /// Writes that the run has come to its end, and with it every case that borrowed something.
    pub fn end_run(&self) {
        let mut originals = self
            .originals
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for entry in originals.drain(..) {
            if let Some(journal) = &self.journal {
                let _ = journal.done(entry, "the run ended; its cases tell what remains");
            }
        }
    }
}

/// What a case may change, as far as it can be said before.
fn intent(case: &Case, deployment: &Deployment) -> String {
    let fixtures = case.fixtures.iter().map(|fixture| match fixture {
        Fixture::LinesToDetach => format!("{fixture} (some of {})", deployment.lines().join(" ")),
        _ => {
            let id = deployment.fixture(*fixture).unwrap_or_default();
            format!("{fixture} {id}")
        }
    });
    let hooks = case.hooks.iter().map(|hook| format!("hook {hook}"));
    let with: Vec<String> = fixtures.chain(hooks).collect();
    let with = with.join(", ");
    if case.changes == Changes::Irreversible {
        format!("may change for good: {with}")
    } else {
        format!("borrows, and gives back: {with}")
    }
}

/// The PATCH that gives a partner back; another value as it is.
fn restored(partner: &Value) -> Value {
    let values = PATCH_SHOWN.iter().filter_map(|(pointer, field)| {
        let value = partner.pointer(pointer)?;
        Some(((*field).to_owned(), value.clone()))
    });
    let values: Map<String, Value> = values.collect();
    if values.is_empty() {
        return partner.clone();
    }
    Value::Object(values)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        case::{CaseContext, definition::runs},
        journal::unfinished,
        run::stub,
        secret::Redaction,
        target::Hook,
    };

    async fn nothing(_: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
        Ok(())
    }

    const CASE: Case = Case::new("lines.detach", "A sentence.", "§4.5", runs!(nothing));

    fn journal() -> (tempfile::TempDir, PathBuf, Journal) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.journal.jsonl");
        let journal = Journal::open(&path, Redaction::default()).unwrap();
        (folder, path, journal)
    }

    fn deployment(journal: Option<Journal>) -> Deployment {
        let fixtures = "[fixtures]\npartner = \"ptn_1\"\npayout_to_detach = \"pay_1\"\nlines_to_detach = [\"cln_1\", \"cln_2\"]\n";
        let deployment = stub::deployment("http://127.0.0.1:1", fixtures);
        match journal {
            Some(journal) => deployment.with_journal(journal),
            None => deployment,
        }
    }

    #[test]
    fn case_that_changes_nothing_needs_no_journal_and_one_that_does_is_refused_without() {
        let deployment = deployment(None);
        let begin = |changes| {
            deployment
                .intents
                .begin(&CASE.changes(changes), &deployment)
        };
        assert!(begin(Changes::Nothing).unwrap().is_none());
        assert!(begin(Changes::Allowance).unwrap().is_none());
        for changes in [Changes::Restored, Changes::Irreversible] {
            assert!(matches!(begin(changes), Err(CaseOutcome::Skipped(_))));
        }
    }

    #[test]
    fn intent_names_what_is_borrowed_and_what_may_be_lost() {
        let (_folder, path, journal) = journal();
        let deployment = deployment(Some(journal));
        let restored = CASE
            .fixtures(&[Fixture::Partner])
            .hooks(&[Hook::SetNote])
            .changes(Changes::Restored);
        let lost = CASE
            .fixtures(&[Fixture::LinesToDetach, Fixture::PayoutToDetach])
            .changes(Changes::Irreversible);
        let first = deployment.intents.begin(&restored, &deployment).unwrap();
        let second = deployment.intents.begin(&lost, &deployment).unwrap();
        let told: Vec<String> = unfinished(&path)
            .unwrap()
            .into_iter()
            .map(|intent| intent.what)
            .collect();
        assert_eq!(
            told,
            [
                "borrows, and gives back: partner ptn_1, hook set_note",
                "may change for good: lines_to_detach (some of cln_1 cln_2), payout_to_detach pay_1",
            ]
        );
        deployment.intents.end(first, &Ok(()), &[]);
        let remains = ["the line cln_1 is no longer in the payout pay_1".to_owned()];
        deployment.intents.end(second, &Ok(()), &remains);
        assert!(unfinished(&path).unwrap().is_empty());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("pass; remains: the line cln_1"), "{text}");
    }

    #[test]
    fn original_is_told_once_and_until_the_run_ends() {
        let (_folder, path, journal) = journal();
        let deployment = deployment(Some(journal));
        let partner = serde_json::json!({
            "id": "ptn_1", "name": "Nordwind", "domain": null, "tierId": "tier_1",
            "phaseId": null, "experienceTemplateId": null, "owner": { "id": "user_1" },
        });
        deployment.note_original("ptn_1", partner.clone());
        deployment.note_original("ptn_1", serde_json::json!({ "name": "changed" }));
        let left = unfinished(&path).unwrap();
        assert_eq!(left.len(), 1);
        assert!(
            left[0].what.starts_with("ptn_1 was {\"name\":\"Nordwind\""),
            "{}",
            left[0].what
        );
        assert!(
            left[0].what.contains("\"partnerOwnerId\":\"user_1\""),
            "{}",
            left[0].what
        );
        assert_eq!(deployment.original("ptn_1"), Some(partner));
        deployment.intents.end_run();
        assert!(unfinished(&path).unwrap().is_empty());
    }
}
