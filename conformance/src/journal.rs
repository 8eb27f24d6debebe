//! The journal: what a run is about to change, written and on the disk before it is asked for, and what came of it.
//!
//! It refuses to be rewritten: lines are only added, so that what a killed run changed can be told.

mod reading;

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

pub use reading::{Unfinished, unfinished};

use crate::secret::{Redaction, Secret};

/// What a line may say; the rest of a longer text is cut.
const TEXT_LIMIT_CHARACTERS: usize = 1_000;
/// A line that a killed run left half written ends so, once another run goes on behind it.
const TORN: &str = "#torn";

/// A journal to write to. Several runs may share a file: each line is written whole, and names its run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    run: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    entries: u64,
    redaction: Redaction,
}

/// An intent whose result is due. Where it is dropped without one, the journal tells it as unfinished.
#[derive(Debug)]
#[must_use = "an intent without a result is told as unfinished"]
pub struct Entry {
    number: u64,
}

/// Why a journal cannot be used. A run without one changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk refused.
    #[error("the journal {path} cannot be used: {source}. Name another file, or make room on the disk", path = path.display())]
    Disk {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is none.
    #[error("{path}, line {line}: this is no line of a journal. Name another file, or move this one away", path = path.display())]
    NoJournal {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
}

/// A line. `intent` comes first, `result` later, with the same run and number.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    run: String,
    number: u64,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Intent {
    case: String,
    what: String,
}

/// Where a target's journal is unless another place is named: beside its file, `staging.journal.jsonl` for `staging.toml`.
#[must_use]
pub fn beside(target: &Path) -> PathBuf {
    target.with_extension("journal.jsonl")
}

impl Journal {
    /// Opens a file to add to it; it is made where there is none. Secrets are taken out of what is written.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn open(path: &Path, redaction: Redaction) -> Result<Self, JournalError> {
        let disk = |source| disk(path, source);
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .map_err(disk)?;
        locked(&mut file, end_torn_line).map_err(disk)?;
        let mut name = [0_u8; 8];
        getrandom::fill(&mut name).map_err(|error| disk(io::Error::other(error)))?;
        Ok(Self {
            path: path.to_owned(),
            run: hex::encode(name),
            state: Mutex::new(State {
                file,
                entries: 0,
                redaction,
            }),
        })
    }

    /// Another secret to be taken out, found on the way.
    pub fn redact(&self, secret: Secret) {
        self.state().redaction.add(secret);
    }

    /// Writes what a case is about to change. When this returns, it is on the disk: only then may it be asked for.
    ///
    /// # Errors
    /// The disk refuses; nothing may be asked for then.
    pub fn intend(&self, case: &str, what: &str) -> Result<Entry, JournalError> {
        let mut state = self.state();
        state.entries += 1;
        let number = state.entries;
        let intent = Intent {
            case: case.to_owned(),
            what: cut(&state.redaction.apply(what)),
        };
        self.append(&mut state, Some(intent), None, (&self.run, number))?;
        let synced = state.file.sync_data();
        synced.map_err(|source| disk(&self.path, source))?;
        Ok(Entry { number })
    }

    /// Writes what came of it. This need not reach the disk at once: where it is lost, an intent too many is told, never one
    /// too few.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn done(&self, entry: Entry, result: &str) -> Result<(), JournalError> {
        let mut state = self.state();
        let result = cut(&state.redaction.apply(result));
        self.append(&mut state, None, Some(result), (&self.run, entry.number))
    }

    /// Ends an intent of an earlier run, so that it is told no more: a person has seen it, or it was mended.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn settle(&self, unfinished: &Unfinished, result: &str) -> Result<(), JournalError> {
        let mut state = self.state();
        let result = cut(&state.redaction.apply(result));
        let entry = (unfinished.run.as_str(), unfinished.number);
        self.append(&mut state, None, Some(result), entry)
    }

    fn append(
        &self,
        state: &mut State,
        intent: Option<Intent>,
        result: Option<String>,
        (run, number): (&str, u64),
    ) -> Result<(), JournalError> {
        let line = Line {
            run: run.to_owned(),
            number,
            at: Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            intent,
            result,
        };
        let mut text = serde_json::to_string(&line).expect("a line has string keys");
        text.push('\n');
        let written = locked(&mut state.file, |file| file.write_all(text.as_bytes()));
        written.map_err(|source| disk(&self.path, source))
    }

    /// A panic between two lines leaves a sound state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Another run may write to the same file.
fn locked<T>(file: &mut File, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    file.lock()?;
    let done = work(file);
    file.unlock()?;
    done
}

/// A run that was killed while it wrote leaves a line without an end: the next one must not go on in it.
fn end_torn_line(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(format!("{TORN}\n").as_bytes())?;
    }
    Ok(())
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_LIMIT_CHARACTERS).collect()
}

fn disk(path: &Path, source: io::Error) -> JournalError {
    JournalError::Disk {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        (folder, path)
    }

    fn open(path: &Path) -> Journal {
        Journal::open(path, Redaction::default()).unwrap()
    }

    fn told(path: &Path) -> Vec<String> {
        let all = unfinished(path).unwrap();
        all.into_iter().map(|intent| intent.what).collect()
    }

    #[test]
    fn intent_is_unfinished_until_its_result_is_written() {
        let (_folder, path) = folder();
        let journal = open(&path);
        let first = journal.intend("lines.detach", "detach cln_1").unwrap();
        let second = journal.intend("lines.detach", "detach cln_2").unwrap();
        assert_eq!(told(&path), ["detach cln_1", "detach cln_2"]);
        journal.done(first, "200").unwrap();
        assert_eq!(told(&path), ["detach cln_2"]);
        let left = unfinished(&path).unwrap();
        assert_eq!(
            (left[0].case.as_str(), left[0].at.len()),
            ("lines.detach", 24)
        );
        journal.done(second, "422").unwrap();
        assert!(told(&path).is_empty());
    }

    #[test]
    fn killed_run_is_told_by_the_next_until_it_is_settled() {
        let (_folder, path) = folder();
        let killed = open(&path);
        let entry = killed.intend("lines.detach", "detach cln_1").unwrap();
        drop((entry, killed));
        let next = open(&path);
        // The same number in another run.
        let entry = next.intend("lines.detach", "detach cln_2").unwrap();
        next.done(entry, "200").unwrap();
        let left = unfinished(&path).unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].what, "detach cln_1");
        next.settle(&left[0], "told").unwrap();
        assert!(told(&path).is_empty());
    }

    #[test]
    fn lines_are_only_added() {
        let (_folder, path) = folder();
        let entry = open(&path).intend("c", "detach cln_1").unwrap();
        let before = std::fs::read_to_string(&path).unwrap();
        drop(entry);
        let journal = open(&path);
        let entry = journal.intend("c", "detach cln_2").unwrap();
        journal.done(entry, "200").unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(&before));
    }

    #[test]
    fn half_a_line_is_passed_over_and_not_gone_on_in() {
        let (_folder, path) = folder();
        let kept = open(&path).intend("c", "detach cln_1").unwrap();
        drop(kept);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"run\":\"00\",\"num").unwrap();
        assert_eq!(told(&path), ["detach cln_1"]);
        let entry = open(&path).intend("c", "detach cln_2").unwrap();
        drop(entry);
        assert_eq!(told(&path), ["detach cln_1", "detach cln_2"]);
    }

    #[test]
    fn file_that_is_no_journal_is_refused_with_its_line() {
        let (_folder, path) = folder();
        drop(open(&path).intend("c", "w").unwrap());
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"name = \"staging\"\n").unwrap();
        let error = unfinished(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn no_secret_reaches_the_file() {
        let (_folder, path) = folder();
        let key = Secret::new("KEY_ALL", "hunter2");
        let journal = Journal::open(&path, Redaction::of([key])).unwrap();
        journal.redact(Secret::new("CREATED_KEY", "swordfish"));
        let entry = journal.intend("c", "revoke hunter2 and swordfish").unwrap();
        journal.done(entry, "said swordfish").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("hunter2") && !text.contains("swordfish"),
            "{text}"
        );
        assert!(text.contains("revoke $KEY_ALL and $CREATED_KEY"), "{text}");
    }

    #[test]
    fn two_runs_share_a_file_without_mixing_their_lines() {
        let (_folder, path) = folder();
        let work = || {
            let journal = open(&path);
            for number in 0..50 {
                let entry = journal
                    .intend("c", &format!("{number} {}", "é".repeat(400)))
                    .unwrap();
                if number % 2 == 0 {
                    journal.done(entry, "200").unwrap();
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
        assert_eq!(told(&path).len(), 50);
    }

    #[test]
    fn journal_that_was_never_begun_has_nothing_unfinished() {
        let (_folder, path) = folder();
        assert!(told(&path).is_empty());
    }

    #[test]
    fn folder_that_does_not_exist_is_told() {
        let (folder, _) = folder();
        let error = Journal::open(&folder.path().join("none/j"), Redaction::default()).unwrap_err();
        assert!(error.to_string().contains("cannot be used"), "{error}");
    }
}
