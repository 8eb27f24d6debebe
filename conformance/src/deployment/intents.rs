//! Intents: what a case is about to change, written to the journal before it starts, and how it
//! ended. An intent stays open until its change is known to be undone or reported.

use std::{
    collections::{BTreeMap, btree_map},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Map, Value};

use crate::{
    journal::{Entry, Journal},
    secret::Secret,
};

/// What the journal calls the case of an intent that several cases share.
const RUN: &str = "run";
/// Where a partner shows what a PATCH may set, and the field of the PATCH. `portalAccess` is not
/// shown.
pub(crate) const PATCH_SHOWN: [(&str, &str); 6] = [
    ("/name", "name"),
    ("/domain", "domain"),
    ("/tierId", "tierId"),
    ("/phaseId", "phaseId"),
    ("/experienceTemplateId", "experienceTemplateId"),
    ("/owner/id", "partnerOwnerId"),
];

#[derive(Debug, Default)]
pub(crate) struct Intents {
    journal: Option<Arc<Journal>>,
    /// Values as they were before the first case changed them, and their journal entries.
    originals: Mutex<BTreeMap<String, (Value, Option<Entry>)>>,
    /// Some case did not undo its change.
    has_open: AtomicBool,
}

impl Intents {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal: Some(Arc::new(journal)), ..Self::default() }
    }

    /// The intents of another run, in the same journal.
    pub(crate) fn again(&self) -> Self {
        Self { journal: self.journal.clone(), ..Self::default() }
    }

    /// Removes a secret that was created during the run from what is written.
    pub(crate) fn redact(&self, secret: Secret) {
        if let Some(journal) = &self.journal {
            journal.redact(secret);
        }
    }

    /// Writes what a case is about to change; it is on the disk when this returns. None: there is
    /// no journal, so the case must not start.
    pub(crate) fn begin(&self, case: &str, what: &str) -> Result<Option<Entry>, String> {
        let journal = self.journal.as_ref();
        journal.map(|journal| journal.intend(case, what)).transpose()
    }

    /// Writes how a case ended. An intent whose change may not be undone stays open, so that the
    /// next run and `journal` show it.
    pub(crate) fn end(&self, entry: Entry, result: &str, is_undone: bool) {
        if !is_undone {
            self.has_open.store(true, Ordering::Relaxed);
        } else if let Some(journal) = &self.journal {
            // If it cannot be written, the next run reports an intent too many, never one too few.
            let _ = journal.done(entry, result);
        }
    }

    /// The value that was there before any case of this run changed it.
    pub(crate) fn original(&self, id: &str) -> Option<Value> {
        self.originals().get(id).map(|(value, _)| value.clone())
    }

    /// Stores and writes the value that is there before a case changes it; only the first counts.
    pub(crate) fn note_original(&self, id: &str, value: Value) {
        if let btree_map::Entry::Vacant(vacant) = self.originals().entry(id.to_owned()) {
            let what = format!("{id} was {}", as_patch(&value));
            // The case's own intent is written already; this adds to it.
            let entry = self.begin(RUN, &what).ok().flatten();
            vacant.insert((value, entry));
        }
    }

    /// The run ended: its original values are no longer needed, unless some change is not undone.
    pub(crate) fn end_run(&self) {
        if self.has_open.load(Ordering::Relaxed) {
            return;
        }
        for (_, entry) in self.originals().values_mut() {
            if let (Some(journal), Some(entry)) = (&self.journal, entry.take()) {
                let _ = journal.done(entry, "the run ended, and its cases undid their changes");
            }
        }
    }

    /// A panic elsewhere leaves a valid map.
    fn originals(&self) -> MutexGuard<'_, BTreeMap<String, (Value, Option<Entry>)>> {
        self.originals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The PATCH that restores a partner; another value as it is.
fn as_patch(partner: &Value) -> Value {
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
    use crate::{journal::unfinished, secret::Redaction};

    fn intents() -> (tempfile::TempDir, PathBuf, Intents) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.journal.jsonl");
        let journal = Journal::open(&path, Redaction::default()).unwrap();
        (folder, path, Intents::new(journal))
    }

    fn open(path: &std::path::Path) -> Vec<String> {
        let open = unfinished(path).unwrap().into_iter();
        open.map(|intent| intent.what).collect()
    }

    #[test]
    fn intent_ends_with_its_case_unless_its_change_is_not_undone() {
        let (_folder, path, intents) = intents();
        let first = intents.begin("lines.detach", "a").unwrap().unwrap();
        let second = intents.begin("partners.update", "b").unwrap().unwrap();
        assert_eq!(open(&path), ["a", "b"]);
        intents.end(first, "pass; remains: the line cln_1", true);
        intents.end(second, "error", false);
        assert_eq!(open(&path), ["b"]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("pass; remains: the line cln_1"), "{text}");
    }

    #[test]
    fn original_is_written_once_and_open_until_the_run_ends() {
        let (_folder, path, intents) = intents();
        let partner = serde_json::json!({
            "id": "ptn_1", "name": "Nordwind", "domain": null, "tierId": "tier_1",
            "phaseId": null, "experienceTemplateId": null, "owner": { "id": "user_1" },
        });
        intents.note_original("ptn_1", partner.clone());
        intents.note_original("ptn_1", serde_json::json!({ "name": "changed" }));
        let left = open(&path);
        assert_eq!(left.len(), 1);
        assert!(left[0].starts_with("ptn_1 was {\"name\":\"Nordwind\""), "{}", left[0]);
        assert!(left[0].contains("\"partnerOwnerId\":\"user_1\""), "{}", left[0]);
        assert_eq!(intents.original("ptn_1"), Some(partner));
        intents.end_run();
        assert!(open(&path).is_empty());
    }

    #[test]
    fn original_stays_open_where_a_change_is_not_undone() {
        let (_folder, path, intents) = intents();
        intents.note_original("ptn_1", serde_json::json!({ "name": "Nordwind" }));
        let entry = intents.begin("partners.update", "changes ptn_1").unwrap().unwrap();
        intents.end(entry, "error", false);
        intents.end_run();
        assert_eq!(open(&path).len(), 2);
    }
}
