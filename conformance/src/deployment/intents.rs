//! Intents: what a case is about to change, written to the journal before it starts, and how it
//! ended; and what was there before, which stays open until it is read to be there again.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::{
    journal::{Journal, Original, Undo, Unfinished},
    secret::Secret,
};

#[derive(Debug, Default)]
pub(crate) struct Intents {
    journal: Option<Arc<Journal>>,
    originals: Mutex<Vec<Kept>>,
}

/// Something as it was before the first case of the run changed it.
#[derive(Debug)]
struct Kept {
    original: Original,
    /// The last case that has changed it, until it is restored.
    changed_by: Option<&'static str>,
    entry: Option<u64>,
}

impl Intents {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal: Some(Arc::new(journal)), ..Self::default() }
    }

    /// The intents of another run, in the same journal.
    pub(crate) fn again(&self) -> Self {
        Self { journal: self.journal.clone(), ..Self::default() }
    }

    pub(crate) fn run(&self) -> Option<&str> {
        self.journal.as_ref().map(|journal| &*journal.run)
    }

    /// Removes a secret that was created during the run from what is written.
    pub(crate) fn redact(&self, secret: Secret) {
        if let Some(journal) = &self.journal {
            journal.redact(secret);
        }
    }

    /// Writes what a case is about to change; it is on the disk when this returns. None: there is
    /// no journal, so the case must not start.
    pub(crate) fn begin(&self, case: &str, what: &str, undo: Undo) -> Result<Option<u64>, String> {
        let journal = self.journal.as_ref();
        journal.map(|journal| journal.intend(case, what, undo)).transpose()
    }

    /// Writes how a case ended. An intent whose change may not be undone stays open, so that the
    /// next run and `journal` show it.
    pub(crate) fn end(&self, entry: u64, result: &str, is_undone: bool) {
        if let Some(journal) = self.journal.as_ref().filter(|_| is_undone) {
            // If it cannot be written, the next run reports an intent too many, never one too few.
            let _ = journal.close(&journal.run, entry, result);
        }
    }

    /// Closes an intent of an earlier run, after it was checked.
    pub(crate) fn settle(&self, intent: &Unfinished, result: &str) -> Result<(), String> {
        let journal = self.journal.as_ref();
        journal.map_or(Ok(()), |journal| journal.close(&intent.run, intent.number, result))
    }

    pub(crate) fn original(&self, name: &str) -> Option<Original> {
        let originals = self.originals.lock();
        let kept = originals.iter().find(|kept| kept.original.name() == name);
        kept.map(|kept| kept.original.clone())
    }

    /// Stores what is there before a case changes it, on the disk too when this returns. Only the
    /// first one of the run counts, and is returned.
    pub(crate) fn will_change(
        &self,
        case: &'static str,
        original: Original,
    ) -> Result<Original, String> {
        let name = original.name();
        let mut originals = self.originals.lock();
        let index = originals.iter().position(|kept| kept.original.name() == name);
        let index = index.unwrap_or_else(|| {
            originals.push(Kept { original, changed_by: None, entry: None });
            originals.len() - 1
        });
        let kept = &mut originals[index];
        if kept.changed_by.replace(case).is_none() {
            let undo = Undo::To(kept.original.for_journal());
            kept.entry = self.begin(case, &kept.original.text(), undo)?;
        }
        Ok(kept.original.clone())
    }

    /// Writes that something is as it was.
    pub(crate) fn is_restored(&self, original: &Original, result: &str) {
        let mut originals = self.originals.lock();
        let mut kept = originals.iter_mut().filter(|kept| kept.original == *original);
        if let Some(kept) = kept.next() {
            kept.changed_by = None;
            if let Some(entry) = kept.entry.take() {
                self.end(entry, result, true);
            }
        }
    }

    /// Returns the changes that are not restored, the last first, each with the case that made it.
    pub(crate) fn changed(&self) -> Vec<(&'static str, Original)> {
        let originals = self.originals.lock();
        let changed = originals.iter().rev();
        changed.filter_map(|kept| Some((kept.changed_by?, kept.original.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::{journal::unfinished, secret::Redaction};

    fn intents() -> (tempfile::TempDir, PathBuf, Intents) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.journal.jsonl");
        let journal = Journal::open(&path, Redaction::default()).unwrap();
        (folder, path, Intents::new(journal))
    }

    fn open(path: &Path) -> Vec<String> {
        let open = unfinished(path).unwrap().into_iter();
        open.map(|intent| intent.what).collect()
    }

    #[test]
    fn first_original_of_a_run_counts_and_is_open_until_it_is_restored() {
        let (_folder, path, intents) = intents();
        let note = |was: &str| Original::Note { payout: "po_1".into(), was: Some(was.into()) };
        intents.will_change("payouts.note", note("paid by card")).unwrap();
        let first = intents.will_change("a.b", note("changed")).unwrap();
        assert_eq!(first, note("paid by card"));
        assert_eq!(open(&path), ["the statement note of po_1 was \"paid by card\""]);
        assert_eq!(unfinished(&path).unwrap()[0].undo, Undo::To(note("paid by card")));
        assert_eq!(intents.changed(), [("a.b", first.clone())]);
        intents.is_restored(&first, "it is as it was");
        assert!(open(&path).is_empty() && intents.changed().is_empty());
        assert_eq!(intents.will_change("a.b", note("changed")).unwrap(), first);
        assert_eq!(open(&path).len(), 1);
    }
}
