//! The journal records what a run is about to change, on the disk before the request is sent, with
//! the values as they were, and how it ended. Lines are only appended, so that changes of a killed
//! run are known and can be undone. One run at a time holds it.

mod original;

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use chrono::{SecondsFormat, Utc};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::secret::{Redaction, Secret};
pub(crate) use original::{Original, difference};

/// Characters of a line's text; the rest of a longer one is cut.
const TEXT_LIMIT: usize = 1_000;

/// The journal of an active run.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// The random name of the run.
    pub(crate) run: String,
    /// Locked while the run is active.
    _lock: File,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    entries: u64,
    redaction: Redaction,
}

/// An intent without a result: a run was killed, or failed, or is active right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    pub(crate) run: String,
    pub(crate) number: u64,
    /// When it was written: UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub(crate) at: String,
    pub(crate) case: String,
    /// The intended change, such as `detach cln_…`.
    pub(crate) what: String,
    pub(crate) undo: Undo,
}

/// The way in which the next run undoes what a killed run did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Undo {
    /// Not at all: a person decides.
    #[default]
    ByHand,
    /// The originals of the same run are restored; nothing else is changed.
    ByOriginals,
    /// This is restored.
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

impl Journal {
    /// Opens or creates a file to append to. Secrets are removed from what is written.
    ///
    /// # Errors
    /// Another run with this journal is active, or the file cannot be used.
    pub(crate) fn open(path: &Path, redaction: Redaction) -> Result<Self, String> {
        let disk = |source| disk(path, source);
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        let mut lock = options.open(path.with_extension("lock")).map_err(disk)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            let mut holder = String::new();
            lock.read_to_string(&mut holder).map_err(disk)?;
            return Err(format!(
                "another run with the journal {} is active: {}. Wait for its end",
                path.display(),
                holder.trim()
            ));
        }
        lock.set_len(0).map_err(disk)?;
        let (process, began) = (std::process::id(), now());
        writeln!(lock, "process {process}, since {began}").map_err(disk)?;
        let mut file = options.open(path).map_err(disk)?;
        end_last_line(&mut file).map_err(disk)?;
        // If there is no randomness, the process distinguishes a run on one machine.
        let run = getrandom::u64().unwrap_or_else(|_| process.into());
        Ok(Self {
            path: path.to_owned(),
            run: format!("{run:016x}"),
            _lock: lock,
            state: Mutex::new(State { file, entries: 0, redaction }),
        })
    }

    pub(crate) fn redact(&self, secret: Secret) {
        self.state.lock().redaction.add(secret);
    }

    /// Writes what a case is about to change; returns the number of the intent, which is unfinished
    /// until it is closed. It is on the disk when this returns; only then may the request be sent.
    pub(crate) fn intend(&self, case: &str, what: &str, undo: Undo) -> Result<u64, String> {
        let mut state = self.state.lock();
        state.entries += 1;
        let number = state.entries;
        let what = cut(&state.redaction.apply(what));
        let undo = serde_json::to_string(&undo).expect("an undo has string keys");
        let undo = serde_json::from_str(&state.redaction.apply(&undo)).unwrap_or_default();
        let intent = Some(Intent { case: case.to_owned(), what, undo });
        let run = self.run.clone();
        self.append(&mut state, &Line { run, number, at: now(), intent, result: None })?;
        let synced = state.file.sync_data();
        synced.map_err(|source| disk(&self.path, source))?;
        Ok(number)
    }

    /// Writes how an intent of a run ended. This need not reach the disk at once: if it is lost, an
    /// intent too many is reported, never one too few.
    pub(crate) fn close(&self, run: &str, number: u64, result: &str) -> Result<(), String> {
        let mut state = self.state.lock();
        let result = Some(cut(&state.redaction.apply(result)));
        let run = run.to_owned();
        self.append(&mut state, &Line { run, number, at: now(), intent: None, result })
    }

    fn append(&self, state: &mut State, line: &Line) -> Result<(), String> {
        let mut text = serde_json::to_string(line).expect("a line has string keys");
        text.push('\n');
        state.file.write_all(text.as_bytes()).map_err(|source| disk(&self.path, source))
    }
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
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
