//! What a journal tells: intents without a result.
//!
//! It refuses to guess what became of them: only the deployment can say.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use super::{Intent, JournalError, Line, TORN, disk};

/// An intent without a result: a run ended, or was killed, between the two, or goes on right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The run's name, made at random.
    pub run: String,
    /// When it was about to be asked for: UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub at: String,
    /// The case that wanted it.
    pub case: String,
    /// What it wanted, such as `detach cln_…`.
    pub what: String,
    pub(super) number: u64,
}

/// The intents of a journal without a result, oldest first. Of a file that does not exist: none.
///
/// # Errors
/// The file cannot be read, or is no journal.
pub fn unfinished(path: &Path) -> Result<Vec<Unfinished>, JournalError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(disk(path, source)),
    };
    let mut open: BTreeMap<(String, u64), (usize, Unfinished)> = BTreeMap::new();
    let mut reader = BufReader::new(file);
    for position in 1.. {
        let mut text = String::new();
        let read = reader.read_line(&mut text);
        if read.map_err(|source| disk(path, source))? == 0 {
            break;
        }
        // Its intent was not on the disk when the run was killed, so nothing was asked for.
        let Some(text) = text.strip_suffix('\n').filter(|text| !text.ends_with(TORN)) else {
            continue;
        };
        let line: Line = serde_json::from_str(text).map_err(|_| JournalError::NoJournal {
            path: path.to_owned(),
            line: position,
        })?;
        let key = (line.run.clone(), line.number);
        match line.intent {
            Some(Intent { case, what }) => {
                let (run, at, number) = (line.run, line.at, line.number);
                let intent = Unfinished {
                    run,
                    at,
                    case,
                    what,
                    number,
                };
                open.insert(key, (position, intent));
            }
            None => {
                open.remove(&key);
            }
        }
    }
    let mut open: Vec<(usize, Unfinished)> = open.into_values().collect();
    open.sort_by_key(|(position, _)| *position);
    Ok(open.into_iter().map(|(_, intent)| intent).collect())
}
