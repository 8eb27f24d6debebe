//! The length of files and the width of lines. Functions are clippy's (`too_many_lines`).

use super::{Check, Rule, finding, tree::Tree};

pub(super) const LINES: Rule = Rule {
    id: "lines",
    why: "a file of more than 400 lines does more than one thing; lines of 100 columns fit beside \
          each other in a review",
    check: Check::Tree(lines),
};

const MAX_LINES: usize = 400;
const MAX_COLUMNS: usize = 100;

/// Generated files are left out: nobody reads them from end to end.
fn lines(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for source in tree.sources.iter().filter(|source| source.is_rust() && !source.is_generated()) {
        for (index, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MAX_COLUMNS {
                let what = format!("{columns} columns");
                findings.push(finding(&source.path, index + 1, &what, "break the line"));
            }
        }
        let count = source.text.lines().count();
        if count > MAX_LINES {
            let what = format!("{count} lines");
            findings.push(finding(&source.path, MAX_LINES + 1, &what, "split the file"));
        }
    }
    findings
}
