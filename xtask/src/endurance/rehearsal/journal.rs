//! The record of every response as a table of tab-separated values, in which a finding can be
//! looked up by its operation, and the findings beside it.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use super::{attempt::Attempt, judge::Finding};
use crate::Result;

const COLUMNS: [&str; 12] = [
    "round",
    "operation",
    "kind",
    "organization",
    "server",
    "sent_ms",
    "took_ms",
    "status",
    "replayed",
    "amount",
    "at_least",
    "text",
];

#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: BufWriter<File>,
    findings: File,
}

impl Journal {
    /// Begins `answers.tsv` and `findings.txt` in this folder.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        let create = |path: &Path| {
            let failed = |error| format!("{} cannot be written: {error}", path.display());
            File::create(path).map_err(failed)
        };
        let path = folder.join("answers.tsv");
        let mut file = BufWriter::new(create(&path)?);
        let findings = create(&folder.join("findings.txt"))?;
        writeln!(file, "{}", COLUMNS.join("\t"))?;
        Ok(Self { path, file, findings })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn find(&mut self, round: &str, findings: &[Finding]) -> Result<()> {
        for finding in findings {
            writeln!(self.findings, "{round}: {finding}")?;
        }
        Ok(())
    }

    /// Adds the attempts of a round, and writes them to the file.
    pub(crate) fn add(&mut self, round: &str, attempts: &[Attempt]) -> Result<()> {
        for attempt in attempts {
            let Attempt { operation, kind, organization, server, status, .. } = attempt;
            let (sent, took) = (attempt.sent.as_millis(), attempt.took.as_millis());
            let Attempt { is_replayed, amount, at_least, text, .. } = attempt;
            let text = text.escape_debug();
            writeln!(
                self.file,
                "{round}\t{operation}\t{kind}\t{organization}\t{server}\t{sent}\t{took}\t{status}\t\
                 {is_replayed}\t{amount}\t{at_least}\t{text}"
            )?;
        }
        Ok(self.file.flush()?)
    }
}
