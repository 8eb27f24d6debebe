//! Compares expected and actual line by line; each report renders the result in its own way.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use super::words;

/// Equal lines that are shown around a difference.
const CONTEXT_LINES: usize = 2;
/// Lines of a short comparison.
const SHORT: usize = 24;

/// The smallest difference of two long texts may take quadratic time; after this a larger one will
/// do.
const TIMEOUT: Duration = Duration::from_millis(300);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    Both,
    Expected,
    Actual,
    /// Neither: equal lines are left out here.
    LeftOut,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Line {
    pub(super) side: Side,
    pub(super) text: String,
}

/// Every line of both, in the order of a unified diff; if one side is unknown, all of the other.
pub(super) fn lines(expected: Option<&str>, actual: Option<&str>) -> Vec<Line> {
    let (expected, actual) = match (expected, actual) {
        (Some(expected), Some(actual)) => (expected, actual),
        (Some(expected), None) => return all_of(Side::Expected, expected),
        (None, Some(actual)) => return all_of(Side::Actual, actual),
        (None, None) => return Vec::new(),
    };
    let mut settings = TextDiff::configure();
    // By slices of lines: a last line without its end is no difference.
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let difference = settings.timeout(TIMEOUT).diff_slices(&old, &new);
    difference
        .iter_all_changes()
        .map(|change| Line {
            side: match change.tag() {
                ChangeTag::Equal => Side::Both,
                ChangeTag::Delete => Side::Expected,
                ChangeTag::Insert => Side::Actual,
            },
            text: change.value().to_owned(),
        })
        .collect()
}

/// Keeps equal lines only around the differences, and cuts a long comparison.
pub(super) fn short(lines: &[Line]) -> Vec<Line> {
    let differs = |line: &Line| line.side != Side::Both;
    let is_near = |index: usize| {
        let end = (index + CONTEXT_LINES + 1).min(lines.len());
        lines[index.saturating_sub(CONTEXT_LINES)..end].iter().any(differs)
    };
    let mut near = (0..lines.len()).filter(|index| is_near(*index)).take(SHORT);
    let mut shown: Vec<Line> = Vec::new();
    let mut next = 0;
    while next < lines.len() {
        let index = near.next().unwrap_or(lines.len());
        if index > next {
            let text = format!("… {} left out", words::counted(index - next, "line", "lines"));
            shown.push(Line { side: Side::LeftOut, text });
        }
        shown.extend(lines.get(index).cloned());
        next = index + 1;
    }
    shown
}

fn all_of(side: Side, text: &str) -> Vec<Line> {
    text.lines().map(|line| Line { side, text: line.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(lines: &[Line]) -> Vec<(Side, &str)> {
        lines.iter().map(|line| (line.side, line.text.as_str())).collect()
    }

    #[test]
    fn equal_lines_far_from_differences_are_left_out_and_counted() {
        let expected = "1\n2\n3\n4\n5\n6\n7\n8";
        let found = short(&lines(Some(expected), Some(&expected.replace('5', "five"))));
        assert_eq!(
            sides(&found),
            [
                (Side::LeftOut, "… 2 lines left out"),
                (Side::Both, "3"),
                (Side::Both, "4"),
                (Side::Expected, "5"),
                (Side::Actual, "five"),
                (Side::Both, "6"),
                (Side::Both, "7"),
                (Side::LeftOut, "… 1 line left out"),
            ]
        );
    }

    #[test]
    fn short_comparison_keeps_its_limit() {
        let long = "x\n".repeat(1_000);
        let found = short(&lines(Some(&long), None));
        assert_eq!(found.len(), SHORT + 1);
        assert_eq!(found[SHORT].text, "… 976 lines left out");
    }
}
