//! The changelog in Markdown: by level, then by operation. A change of what many operations share
//! is listed once.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::{
    Comparison,
    change::{Change, Level},
};

/// Changes of more operations than this share one heading.
const SHARED: usize = 3;

pub(super) fn markdown(comparison: &Comparison) -> Result<String, fmt::Error> {
    let (old, new) = (comparison.old.version(), comparison.new.version());
    let mut text = format!("# Changes from {old} to {new}\n");
    let headings = [
        (Level::Breaking, "Breaking"),
        (Level::Warning, "To be checked by clients"),
        (Level::Compatible, "Compatible"),
    ];
    for (level, heading) in headings {
        let changes: Vec<&Change> =
            comparison.changes.iter().filter(|change| change.level == level).collect();
        if changes.is_empty() {
            continue;
        }
        writeln!(text, "\n## {heading}")?;
        for (operations, changes) in by_operations(&changes) {
            writeln!(text, "\n### {operations}\n")?;
            for change in changes {
                let (_, location) = change.first();
                let at = [location.part(), location.path()].join(" ");
                let at = at.trim();
                let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
                writeln!(text, "- {}{at} `{}`", change.sentence, change.rule)?;
                if let Some(reason) = &change.accepted {
                    writeln!(text, "  Accepted: {reason}")?;
                }
            }
        }
    }
    if comparison.changes.is_empty() {
        writeln!(text, "\nNothing changes.")?;
    }
    Ok(text)
}

fn by_operations<'c>(changes: &[&'c Change]) -> BTreeMap<String, Vec<&'c Change>> {
    let mut groups: BTreeMap<String, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        let operations: Vec<&str> = change.locations.keys().map(String::as_str).collect();
        let heading = if operations.len() > SHARED {
            format!("{} and {} more operations", operations[0], operations.len() - 1)
        } else {
            operations.join(", ")
        };
        groups.entry(heading).or_default().push(change);
    }
    groups
}
