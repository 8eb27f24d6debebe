//! The report: the changes as `contract breaking` prints them, then each consumer with the
//! compiler's own words.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

use serde_json::json;

use super::{Effect, Judged};
use crate::{
    breaking::{self, Comparison},
    output::{Format, annotation},
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
    let mut text = breaking::print(comparison, format)?;
    // A client that does not compile gives each consumer the same errors.
    let mut printed = BTreeSet::new();
    let is_text = format == Format::Text;
    for Judged { consumer, verdict, errors, before, note } in judged {
        let (found, before) = (counted(errors.len()), counted(*before));
        let summary = match verdict {
            Effect::Compiles => format!("{consumer}: compiles"),
            Effect::Breaks => format!("{consumer}: breaks: {found}, {before} without the change"),
            Effect::BrokenBefore => {
                format!("{consumer}: does not compile without the change either: {before}")
            }
            Effect::NotJudged => format!("{consumer}: not judged"),
        };
        let note = note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
        match verdict {
            _ if is_text => writeln!(text, "{summary}{note}")?,
            Effect::Compiles | Effect::Breaks => {}
            _ => writeln!(text, "::warning ::{summary}")?,
        }
        for error in errors.iter().filter(|error| printed.insert(&error.rendered)) {
            let file = error.file.display().to_string();
            let place = (file.as_str(), error.line, Some(error.column));
            match is_text {
                true => writeln!(text, "{}", error.rendered.trim_end())?,
                false => text += &(annotation("error", place, consumer, &error.message) + "\n"),
            }
        }
    }
    if is_text {
        let count = |effect| judged.iter().filter(|one| one.verdict == effect).count();
        let unknown = count(Effect::BrokenBefore) + count(Effect::NotJudged);
        let (breaks, total) = (count(Effect::Breaks), judged.len());
        writeln!(text, "{breaks} of {total} break, {unknown} could not be judged")?;
    }
    Ok(text)
}

fn counted(errors: usize) -> String {
    if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") }
}
