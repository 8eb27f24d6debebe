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

/// A line of one side beside the line of the other that stands in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Row {
    pub(super) expected: Option<String>,
    pub(super) actual: Option<String>,
    pub(super) is_same: bool,
}

/// Both texts side by side.
pub(super) fn rows(lines: &[Line]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    // The first row since the last equal line that has no line of the other side yet.
    let mut free = 0;
    for Line { side, text } in lines {
        let text = Some(text.clone());
        match side {
            Side::Expected => rows.push(Row { expected: text, ..Row::default() }),
            Side::Actual if free < rows.len() => {
                rows[free].actual = text;
                free += 1;
                continue;
            }
            Side::Actual => {
                rows.push(Row { actual: text, ..Row::default() });
                free = rows.len();
            }
            Side::Both | Side::LeftOut => {
                rows.push(Row { expected: text.clone(), actual: text, is_same: true });
                free = rows.len();
            }
        }
    }
    rows
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
    fn changed_lines_stand_beside_each_other() {
        let rows = rows(&lines(Some("1\n2\n3\n4"), Some("1\ntwo\n4\n5")));
        let row = |expected: &str, actual: &str, is_same| {
            let side = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Row { expected: side(expected), actual: side(actual), is_same }
        };
        assert_eq!(
            rows,
            [
                row("1", "1", true),
                row("2", "two", false),
                row("3", "", false),
                row("4", "4", true),
                row("", "5", false),
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
