//! Tables as Markdown, aligned for the terminal.

#![expect(
    clippy::disallowed_types,
    reason = "measurements are rates and times; no money is computed here"
)]

use std::time::Duration;

/// The cell of a value that was not measured, or is not available on this system.
const ABSENT: &str = "–";

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Heads with units.
    pub(crate) columns: Vec<&'static str>,
    /// A column of numbers is aligned to the right.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn markdown(&self) -> String {
        let heads = self.columns.iter().map(|head| (*head).to_owned()).collect();
        let mut lines = self.rows.clone();
        lines.insert(0, heads);
        let column = |index: usize| {
            let width = lines.iter().map(|line| line[index].chars().count()).max();
            (width.unwrap_or(0), self.rows.iter().all(|row| is_number(&row[index])))
        };
        let columns: Vec<(usize, bool)> = (0..self.columns.len()).map(column).collect();
        let rule = columns.iter().map(|(width, is_numeric)| {
            "-".repeat(width.saturating_sub(1)) + if *is_numeric { ":" } else { "-" }
        });
        lines.insert(1, rule.collect());
        let line = |line: &Vec<String>| {
            let cells = line.iter().zip(&columns).map(|(cell, (width, is_numeric))| {
                if *is_numeric {
                    format!("| {cell:>width$} ")
                } else {
                    format!("| {cell:<width$} ")
                }
            });
            cells.collect::<String>() + "|\n"
        };
        lines.iter().map(line).collect()
    }
}

/// A number with so many digits after the point: `1234.56` with one is `1,234.6`.
pub(crate) fn number(value: impl Into<Option<f64>>, digits: usize) -> String {
    let Some(value) = value.into() else {
        return ABSENT.to_owned();
    };
    let text = format!("{value:.digits$}");
    let whole = text.find('.').unwrap_or(text.len());
    let mut grouped = String::new();
    for (index, character) in text.char_indices() {
        if index > 0 && index < whole && (whole - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(character);
    }
    grouped
}

pub(crate) fn count(count: usize) -> String {
    number(count as f64, 0)
}

pub(crate) fn seconds(time: Duration) -> String {
    number(time.as_secs_f64(), 1)
}

/// Returns true if a cell has the form of [`number`].
fn is_number(cell: &str) -> bool {
    cell == ABSENT || cell.replace([',', '.'], "").parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            columns: vec!["kind", "documents/s"],
            rows: vec![
                vec!["25 lines".to_owned(), number(1_234.5, 1)],
                vec!["2,000".to_owned(), number(None, 1)],
            ],
        }
    }

    #[test]
    fn columns_are_aligned_and_absent_cells_are_shown() {
        let expected = "\
| kind     | documents/s |
| -------- | ----------: |
| 25 lines |     1,234.5 |
| 2,000    |           – |
";
        assert_eq!(table().markdown(), expected);
    }

    #[test]
    fn numbers_are_rounded_and_grouped() {
        let value = 1_234_567.894;
        assert_eq!(number(value, 0), "1,234,568");
        assert_eq!(number(value, 1), "1,234,567.9");
        assert_eq!(number(value, 3), "1,234,567.894");
        assert_eq!(number(0.913, 2), "0.91");
        assert_eq!(number(100.0, 0), "100");
    }
}
