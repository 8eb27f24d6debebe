//! The report: for each consumer whether it compiles, and its errors with the changes that they
//! belong to; then the changes that no error belongs to.

use std::{
    fmt::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    attribution::{changes_of, clues},
    check::CompileError,
    judge::{Bench, Judged, Verdict},
};
use crate::{
    breaking::{Change, Comparison, Level, where_it_is},
    output::{Format, annotation},
};

pub(super) struct Report<'c> {
    comparison: &'c Comparison,
    judged: Vec<Judged>,
    /// For each consumer and each of its errors, the changes that it belongs to.
    changes: Vec<Vec<Vec<&'c Change>>>,
    /// Absolute folders, and what they are called.
    folders: Vec<(PathBuf, PathBuf)>,
}

impl<'c> Report<'c> {
    /// `root` is the folder of the configuration and what it is called.
    pub(super) fn new(
        comparison: &'c Comparison,
        judged: Vec<Judged>,
        bench: &Bench,
        root: (&Path, &Path),
    ) -> Self {
        let clues = clues(comparison);
        let of_error = |error: &CompileError| -> Vec<&'c Change> {
            let found = changes_of(error, &clues).into_iter();
            found.map(|index| &comparison.changes[index]).collect()
        };
        let of_consumer = |one: &Judged| one.errors.iter().map(of_error).collect();
        let changes = judged.iter().map(of_consumer).collect();
        let folders = bench.consumers.iter().filter_map(|consumer| {
            let name = consumer.name.split(' ').next()?;
            let called = Path::new(name).parent()?.to_owned();
            Some((consumer.manifest.parent()?.to_owned(), called))
        });
        let root = (root.0.to_owned(), root.1.to_owned());
        let folders = [root].into_iter().chain(folders).collect();
        Self { comparison, judged, changes, folders }
    }

    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.judged.iter().filter(|judged| judged.verdict == verdict).count()
    }

    /// How many neither compile nor break by the change.
    pub(super) fn unjudged(&self) -> usize {
        self.count(Verdict::BrokenBefore) + self.count(Verdict::NotJudged)
    }

    pub(super) fn total(&self) -> usize {
        self.judged.len()
    }

    pub(super) fn print(&self, format: Format) -> Result<String, fmt::Error> {
        let mut text = String::new();
        match format {
            Format::Text => self.print_text(&mut text)?,
            Format::Json => writeln!(text, "{:#}", self.json())?,
            Format::Github => self.print_annotations(&mut text)?,
        }
        Ok(text)
    }

    fn print_text(&self, text: &mut String) -> fmt::Result {
        for (judged, changes) in self.judged.iter().zip(&self.changes) {
            writeln!(text, "{}", summary(judged))?;
            if let Some(note) = &judged.note {
                writeln!(text, "    {note}")?;
            }
            for (error, changes) in judged.errors.iter().zip(changes) {
                writeln!(text, "{}: error: {}", self.place(error), said(error))?;
                for change in changes {
                    writeln!(text, "    by {}", named(change))?;
                }
                if changes.is_empty() {
                    writeln!(text, "    it names no change; compare it with those below")?;
                }
            }
            for error in &judged.before {
                writeln!(text, "{}: error before: {}", self.place(error), said(error))?;
            }
        }
        for change in self.silent() {
            writeln!(text, "{}", named(change))?;
            let effect = self.effect();
            writeln!(text, "    {}; {effect}", where_it_is(change))?;
        }
        let (breaks, total) = (self.count(Verdict::Breaks), self.total());
        let unjudged = match self.unjudged() {
            0 => String::new(),
            count => format!(", {count} could not be judged"),
        };
        let (old, new) = (&self.comparison.old.path, &self.comparison.new.path);
        writeln!(text, "{breaks} of {total} break{unjudged}: {old} -> {new}")
    }

    /// The breaking changes and warnings that no error belongs to.
    fn silent(&self) -> impl Iterator<Item = &Change> {
        let named: Vec<&str> = self
            .changes
            .iter()
            .flatten()
            .flatten()
            .map(|change| change.fingerprint.as_str())
            .collect();
        self.comparison.changes.iter().filter(move |change| {
            let is_notable = change.level <= Level::Warning && !change.hidden;
            is_notable && !named.contains(&change.fingerprint.as_str())
        })
    }

    /// What is known of a change that no error belongs to.
    fn effect(&self) -> &'static str {
        let unknown = self.changes.iter().flatten().any(Vec::is_empty);
        if unknown || self.unjudged() > 0 {
            "no error names it"
        } else {
            "every consumer compiles with it: it shows at run time"
        }
    }

    fn place(&self, error: &CompileError) -> String {
        format!("{}:{}:{}", self.shown(&error.file).display(), error.line, error.column)
    }

    /// A file by the name of its innermost folder.
    fn shown(&self, file: &Path) -> PathBuf {
        let folders = self.folders.iter().filter_map(|(folder, called)| {
            Some((folder.components().count(), called.join(file.strip_prefix(folder).ok()?)))
        });
        folders.max_by_key(|(depth, _)| *depth).map_or(file.to_owned(), |(_, shown)| shown)
    }

    fn json(&self) -> Value {
        let error = |error: &CompileError, changes: &[&Change]| {
            json!({
                "file": self.shown(&error.file),
                "line": error.line,
                "column": error.column,
                "code": error.code,
                "message": error.message,
                "changes": changes.iter().map(|one| &one.fingerprint).collect::<Vec<_>>(),
            })
        };
        let consumers = self.judged.iter().zip(&self.changes).map(|(judged, changes)| {
            let errors = judged.errors.iter().zip(changes);
            let before = judged.before.iter().map(|one| error(one, &[]));
            json!({
                "consumer": judged.name,
                "verdict": judged.verdict,
                "note": judged.note,
                "errors": errors.map(|(one, changes)| error(one, changes)).collect::<Vec<_>>(),
                "before": before.collect::<Vec<_>>(),
            })
        });
        let visible = self.comparison.changes.iter().filter(|change| !change.hidden);
        let changes = visible.map(|change| {
            json!({
                "fingerprint": change.fingerprint,
                "rule": change.rule,
                "level": change.level,
                "file": *change.place.file,
                "line": change.place.line,
                "sentence": change.sentence,
            })
        });
        json!({
            "old": self.comparison.old.path,
            "new": self.comparison.new.path,
            "consumers": consumers.collect::<Vec<_>>(),
            "changes": changes.collect::<Vec<_>>(),
        })
    }

    fn print_annotations(&self, text: &mut String) -> fmt::Result {
        for (judged, changes) in self.judged.iter().zip(&self.changes) {
            for (error, changes) in judged.errors.iter().zip(changes) {
                let file = self.shown(&error.file).display().to_string();
                let by = changes.iter().map(|change| format!("\nby {}", named(change)));
                let message = said(error) + &by.collect::<String>();
                let place = (file.as_str(), error.line, error.column);
                writeln!(text, "{}", annotation("error", place, &judged.name, &message))?;
            }
            if matches!(judged.verdict, Verdict::BrokenBefore | Verdict::NotJudged) {
                writeln!(text, "::warning ::{}", summary(judged))?;
            }
        }
        Ok(())
    }
}

fn summary(judged: &Judged) -> String {
    let count = |errors: &[CompileError]| match errors.len() {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    let verdict = match judged.verdict {
        Verdict::Compiles => "compiles".to_owned(),
        Verdict::Breaks if judged.before.is_empty() => {
            format!("breaks: {}", count(&judged.errors))
        }
        Verdict::Breaks => {
            let before = count(&judged.before);
            format!("breaks: {}, and {before} without the change too", count(&judged.errors))
        }
        Verdict::BrokenBefore => {
            let before = count(&judged.before);
            format!("does not compile without the change either: {before}")
        }
        Verdict::NotJudged => "not judged".to_owned(),
    };
    format!("{}: {verdict}", judged.name)
}

fn said(error: &CompileError) -> String {
    match &error.code {
        Some(code) => format!("{} [{code}]", error.message),
        None => error.message.clone(),
    }
}

/// As `contract breaking` prints it.
fn named(change: &Change) -> String {
    let Change { place, level, sentence, rule, .. } = change;
    let accepted = if change.accepted.is_some() { ", accepted" } else { "" };
    format!("{place}: {level}{accepted}: {sentence} [{rule}]")
}
