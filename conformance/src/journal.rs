//! The journal: what a run is about to change, on the disk before the request is sent, with the
//! values as they were, and how it ended. Lines are only appended, so that changes of a killed run
//! are known and can be undone.

mod original;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use chrono::{SecondsFormat, Utc};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::secret::{Redaction, Secret};
pub(crate) use original::{Original, difference};

/// Characters of a line's text; the rest of a longer one is cut.
const TEXT_LIMIT: usize = 1_000;

/// A journal to write to. Several runs may share a file: each line is written whole and names its
/// run.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// Locked as shared while the run is active.
    presence: File,
    run: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    entries: u64,
    redaction: Redaction,
}

/// An intent without a result. If it is dropped, the journal reports it as unfinished.
#[derive(Debug)]
#[must_use = "an intent without a result is reported as unfinished"]
pub(crate) struct Entry {
    number: u64,
}

/// An intent without a result: a run was killed, or failed, or is active right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// The run's name.
    run: String,
    number: u64,
    /// When it was written: UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub(crate) at: String,
    pub(crate) case: String,
    /// What it was about to do, such as `detach cln_…`.
    pub(crate) what: String,
    pub(crate) undo: Undo,
}

/// How the next run undoes what a killed run did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Undo {
    /// Not at all: a person decides.
    #[default]
    ByHand,
    /// By the originals of the same run; nothing else is changed.
    ByOriginals,
    /// By restoring this.
    To(Original),
}

/// A line: first `intent`, later `result`, with the same run and number.
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
    #[serde(default)]
    undo: Undo,
}

/// The random name of this process, which the names of its runs and its markers begin with.
pub(crate) fn process() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        // Without randomness its id distinguishes it on one machine.
        let name = getrandom::u64().unwrap_or_else(|_| std::process::id().into());
        format!("{name:016x}")
    });
    &NAME
}

/// The default journal of a target: beside its file, `staging.journal.jsonl` for `staging.toml`.
pub(crate) fn beside(target: &Path) -> PathBuf {
    target.with_extension("journal.jsonl")
}

/// The intents without a result, oldest first; none if the file does not exist.
pub(crate) fn unfinished(path: &Path) -> Result<Vec<Unfinished>, String> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes.map_err(|source| disk(path, source))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut open: Vec<Unfinished> = Vec::new();
    for (position, text) in text.lines().enumerate() {
        let line: Line = match serde_json::from_str(text) {
            Ok(line) => line,
            // Half a line of a run that was killed while it wrote: its request was not sent.
            Err(error) if text.is_empty() || (error.is_eof() && text.starts_with('{')) => continue,
            Err(_) => {
                return Err(format!(
                    "{}, line {}: this is not a line of a journal. Name another file, or move this \
                     one away",
                    path.display(),
                    position + 1
                ));
            }
        };
        let Line { run, number, at, intent, .. } = line;
        match intent {
            Some(Intent { case, what, undo }) => {
                open.push(Unfinished { run, number, at, case, what, undo });
            }
            None => open.retain(|open| open.run != run || open.number != number),
        }
    }
    Ok(open)
}

impl Unfinished {
    /// The name of the process that wrote it.
    pub(crate) fn process(&self) -> &str {
        self.run.split('-').next().unwrap_or_default()
    }
}

impl Journal {
    /// Opens or creates a file to append to. Secrets are removed from what is written.
    pub(crate) fn open(path: &Path, redaction: Redaction) -> Result<Self, String> {
        let disk = |source| disk(path, source);
        let mut options = OpenOptions::new();
        let mut file = options.create(true).read(true).append(true).open(path).map_err(disk)?;
        locked(&mut file, end_last_line).map_err(disk)?;
        let presence = options.open(path.with_extension("lock")).map_err(disk)?;
        presence.lock_shared().map_err(disk)?;
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let opened = OPENED.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            path: path.to_owned(),
            presence,
            run: format!("{}-{opened:x}", process()),
            state: Mutex::new(State { file, entries: 0, redaction }),
        })
    }

    /// Whether no other run that uses this journal is active.
    pub(crate) fn is_alone(&self) -> bool {
        let is_alone = self.presence.try_lock().is_ok();
        // Also a lock that was not taken may have given up the shared one.
        is_alone & self.presence.lock_shared().is_ok()
    }

    pub(crate) fn redact(&self, secret: Secret) {
        self.state.lock().redaction.add(secret);
    }

    /// Writes what a case is about to change. It is on the disk when this returns; only then may
    /// the request be sent.
    pub(crate) fn intend(&self, case: &str, what: &str, undo: Undo) -> Result<Entry, String> {
        let mut state = self.state.lock();
        state.entries += 1;
        let number = state.entries;
        let what = cut(&state.redaction.apply(what));
        let undo = serde_json::to_string(&undo).expect("an undo has string keys");
        let undo = serde_json::from_str(&state.redaction.apply(&undo)).unwrap_or_default();
        let intent = Intent { case: case.to_owned(), what, undo };
        self.append(&mut state, Some(intent), None, (&self.run, number))?;
        let synced = state.file.sync_data();
        synced.map_err(|source| disk(&self.path, source))?;
        Ok(Entry { number })
    }

    /// Writes how it ended. This need not reach the disk at once: if it is lost, an intent too many
    /// is reported, never one too few.
    pub(crate) fn done(&self, entry: Entry, result: &str) -> Result<(), String> {
        self.close(&self.run, entry.number, result)
    }

    /// Closes an intent of an earlier run, after it was checked.
    pub(crate) fn settle(&self, intent: &Unfinished, result: &str) -> Result<(), String> {
        self.close(&intent.run, intent.number, result)
    }

    fn close(&self, run: &str, number: u64, result: &str) -> Result<(), String> {
        let mut state = self.state.lock();
        let result = cut(&state.redaction.apply(result));
        self.append(&mut state, None, Some(result), (run, number))
    }

    fn append(
        &self,
        state: &mut State,
        intent: Option<Intent>,
        result: Option<String>,
        (run, number): (&str, u64),
    ) -> Result<(), String> {
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
}

/// Works while no other run writes to the same file.
fn locked<T>(file: &mut File, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    file.lock()?;
    let done = work(file);
    file.unlock()?;
    done
}

/// A run that was killed while it wrote leaves a line without an end; the next one starts behind
/// it.
fn end_last_line(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_LIMIT).collect()
}

fn disk(path: &Path, error: io::Error) -> String {
    format!(
        "the journal {} cannot be used: {error}. Name another file, or free space on the disk",
        path.display()
    )
}

#[cfg(test)]
mod tests;
