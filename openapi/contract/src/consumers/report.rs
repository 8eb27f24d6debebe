//! The report: the changes as `contract breaking` prints them, then each consumer with the
//! compiler's own words.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

use serde_json::json;

use super::{Effect, Judged};
use crate::{
    breaking::{self, Comparison, Level},
    output::{self, Entry, Format},
};

pub(super) fn print(
    comparison: &Comparison,
    judged: &[Judged],
    format: Format,
) -> Result<String, fmt::Error> {
    if format == Format::Json {
        let mut report = breaking::json(comparison);
        report["consumers"] = json!(judged);
        return Ok(format!("{report:#}\n"));
    }
    if format != Format::Text {
        let mut entries = breaking::entries(comparison, Level::Breaking);
        entries.extend(judged.iter().flat_map(entries_of));
        let mut seen = BTreeSet::new();
        // A client that does not compile gives each consumer the same errors.
        entries.retain(|entry| seen.insert((entry.place.clone(), entry.message.clone())));
        return Ok(output::print("consumers", &entries, format).unwrap_or_default());
    }
    let mut text = breaking::print(comparison, format, Level::Breaking)?;
    // A client that does not compile gives each consumer the same errors.
    let mut printed = BTreeSet::new();
    for one in judged {
        let note = one.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
        writeln!(text, "{}{note}", summary(one))?;
        for error in one.errors.iter().filter(|error| printed.insert(&error.rendered)) {
            writeln!(text, "{}", error.rendered.trim_end())?;
        }
    }
    let count = |effect| judged.iter().filter(|one| one.verdict == effect).count();
    let unknown = count(Effect::BrokenBefore) + count(Effect::NotJudged);
    let (breaks, total) = (count(Effect::Breaks), judged.len());
    writeln!(text, "{breaks} of {total} break, {unknown} could not be judged")?;
    Ok(text)
}

/// The errors of a consumer, and whether it could be judged, as the formats of others have them.
fn entries_of(judged: &Judged) -> Vec<Entry> {
    let entry = |level, place, message| Entry {
        level,
        fails: level == "error",
        rule: judged.consumer.clone(),
        place,
        message,
        fingerprint: None,
        accepted: None,
    };
    let is_judged = matches!(judged.verdict, Effect::Compiles | Effect::Breaks);
    let unknown = (!is_judged).then(|| entry("warning", None, summary(judged)));
    let errors = judged.errors.iter().map(|error| {
        let place = (error.file.display().to_string(), error.line, Some(error.column));
        entry("error", Some(place), error.message.clone())
    });
    unknown.into_iter().chain(errors).collect()
}

fn summary(Judged { consumer, verdict, errors, before, .. }: &Judged) -> String {
    let (found, before) = (counted(errors.len()), counted(*before));
    match verdict {
        Effect::Compiles => format!("{consumer}: compiles"),
        Effect::Breaks => format!("{consumer}: breaks: {found}, {before} without the change"),
        Effect::BrokenBefore => {
            format!("{consumer}: does not compile without the change either: {before}")
        }
        Effect::NotJudged => format!("{consumer}: not judged"),
    }
}

fn counted(errors: usize) -> String {
    if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") }
}
