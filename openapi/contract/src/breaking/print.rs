//! The report: text for people, JSON for programs, entries for the formats of others.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::{
    Comparison,
    change::{Change, Level},
};
use crate::output::{self, Entry, Format};

/// A text names this many operations, and counts the others.
const NAMED_OPERATIONS: usize = 3;

pub(crate) fn print(
    comparison: &Comparison,
    format: Format,
    fail_on: Level,
) -> Result<String, fmt::Error> {
    let mut text = String::new();
    match format {
        Format::Text => print_text(comparison, fail_on, &mut text)?,
        Format::Json => writeln!(text, "{:#}", json(comparison))?,
        _ => {
            let printed = output::print("breaking", &entries(comparison, fail_on), format);
            text += &printed.expect("the other formats are above");
        }
    }
    Ok(text)
}

fn print_text(comparison: &Comparison, fail_on: Level, text: &mut String) -> fmt::Result {
    for change in &comparison.changes {
        let Change { level, rule, place, sentence, fingerprint, .. } = change;
        let mark = if change.accepted.is_some() { "accepted" } else { &level.to_string() };
        writeln!(text, "{place}: {mark}: {sentence} [{rule}]")?;
        writeln!(text, "    {}; fingerprint {fingerprint}", where_it_is(change))?;
        if let Some(reason) = &change.accepted {
            writeln!(text, "    accepted: {reason}")?;
        }
    }
    for note in notes(comparison) {
        writeln!(text, "{note}")?;
    }
    let count = |level| {
        let of_level = comparison.changes.iter().filter(|change| change.level == level);
        of_level.filter(|change| change.accepted.is_none()).count()
    };
    let accepted = comparison.changes.iter().filter(|change| change.accepted.is_some()).count();
    writeln!(
        text,
        "{} breaking, {} warnings, {} compatible, {accepted} accepted: {} -> {}",
        count(Level::Breaking),
        count(Level::Warning),
        count(Level::Compatible),
        comparison.old.place("").file,
        comparison.new.place("").file
    )?;
    for line in comparison.versions.lines() {
        writeln!(text, "{line}")?;
    }
    print_acceptances(comparison, fail_on, text)
}

/// Prints the line that accepts each change that fails; where none fails, that of a warning.
fn print_acceptances(comparison: &Comparison, fail_on: Level, text: &mut String) -> fmt::Result {
    let is = |level| move |change: &&Change| change.is_finding(level);
    let mut lines: Vec<&Change> = comparison.changes.iter().filter(is(fail_on)).collect();
    if lines.is_empty() {
        lines.extend(comparison.changes.iter().find(is(Level::Warning)));
    }
    if !lines.is_empty() {
        let file = comparison.accepted_file.display();
        writeln!(text, "To accept a change, add its line to `accepted = […]` in {file}:")?;
    }
    for Change { fingerprint, .. } in lines {
        writeln!(text, "    {{ fingerprint = \"{fingerprint}\", reason = \"…\" }},")?;
    }
    Ok(())
}

fn where_it_is(change: &Change) -> String {
    let (_, location) = change.first();
    let mut parts = Vec::from([location.part(), location.path()]);
    parts.retain(|part| !part.is_empty());
    let operations: Vec<&str> = change.locations.keys().map(String::as_str).collect();
    let mut named =
        operations.iter().take(NAMED_OPERATIONS).copied().collect::<Vec<_>>().join(", ");
    if operations.len() > NAMED_OPERATIONS {
        _ = write!(named, " and {} more", operations.len() - NAMED_OPERATIONS);
    }
    match parts.join(" ").as_str() {
        "" => named,
        part => format!("{part} of {named}"),
    }
}

/// Returns what is wrong with the accepted changes.
fn notes(comparison: &Comparison) -> Vec<String> {
    let file = comparison.accepted_file.display();
    let unmatched = comparison.unmatched.iter().map(|name| {
        format!("{file}: warning: the accepted {name} matches no change; remove its line")
    });
    let ended = comparison.ended.iter().map(|name| {
        format!("{file}: warning: `until` of the accepted {name} has passed; it is a finding again")
    });
    unmatched.chain(ended).collect()
}

pub(crate) fn json(comparison: &Comparison) -> Value {
    let changes = comparison.changes.iter().map(|change| {
        let locations = change.locations.iter().map(|(operation, location)| {
            json!({ "operation": operation, "part": location.part(), "path": location.path() })
        });
        json!({
            "rule": change.rule,
            "level": change.level,
            "direction": change.direction,
            "fingerprint": change.fingerprint,
            "file": *change.place.file,
            "line": change.place.line,
            "sentence": change.sentence,
            "locations": locations.collect::<Vec<_>>(),
            "accepted": change.accepted,
        })
    });
    json!({
        "old": *comparison.old.place("").file,
        "new": *comparison.new.place("").file,
        "changes": changes.collect::<Vec<_>>(),
        "versions": comparison.versions,
        "unmatched": comparison.unmatched,
        "ended": comparison.ended,
    })
}

/// The changes as the formats of others have them; those of the level `fail_on` fail.
pub(crate) fn entries(comparison: &Comparison, fail_on: Level) -> Vec<Entry> {
    let changes = comparison.changes.iter().map(|change| {
        let Change { place, rule, sentence, fingerprint, accepted, .. } = change;
        Entry {
            level: match change.level {
                Level::Breaking => "error",
                Level::Warning => "warning",
                Level::Compatible => "notice",
            },
            fails: change.is_finding(fail_on),
            rule: (*rule).to_owned(),
            place: Some((place.file.to_string(), place.line, None)),
            message: format!("{sentence} {}; fingerprint {fingerprint}", where_it_is(change)),
            fingerprint: Some(fingerprint.clone()),
            accepted: accepted.clone(),
        }
    });
    let notes = notes(comparison).into_iter().map(|message| Entry {
        level: "warning",
        fails: false,
        rule: "unmatched-acceptance".to_owned(),
        place: None,
        message,
        fingerprint: None,
        accepted: None,
    });
    changes.chain(notes).collect()
}
