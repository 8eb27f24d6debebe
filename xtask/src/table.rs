//! Tables as Markdown, aligned for the terminal.

#![expect(
    clippy::disallowed_types,
    reason = "measurements are rates and times; no money is computed here"
)]

use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Heads with units.
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    /// With this number of digits after the point.
    Number(f64, usize),
    /// Not measured, or not available on this system.
    Absent,
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn number(value: Option<f64>, digits: usize) -> Self {
        value.map_or(Self::Absent, |value| Self::Number(value, digits))
    }

    pub(crate) fn count(count: usize) -> Self {
        Self::Number(count as f64, 0)
    }

    pub(crate) fn seconds(time: Duration) -> Self {
        Self::Number(time.as_secs_f64(), 1)
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value, digits) => formatted(*value, *digits),
            Self::Absent => "–".to_owned(),
        }
    }
}

impl Table {
    pub(crate) fn markdown(&self) -> String {
        let heads = self.columns.iter().map(|head| (*head).to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect());
        let mut lines: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
        let column = |index: usize| {
            let width = lines.iter().map(|line| line[index].chars().count()).max();
            let is_numeric = self.rows.iter().all(|row| !matches!(row[index], Cell::Text(_)));
            (width.unwrap_or(0), is_numeric)
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

/// `1234.56` with one digit is `1,234.6`.
fn formatted(value: f64, digits: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            columns: vec!["kind", "documents/s"],
            rows: vec![
                vec![Cell::text("25 lines"), Cell::Number(1_234.5, 1)],
                vec![Cell::text("2,000"), Cell::Absent],
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
        assert_eq!(formatted(value, 0), "1,234,568");
        assert_eq!(formatted(value, 1), "1,234,567.9");
        assert_eq!(formatted(value, 3), "1,234,567.894");
        assert_eq!(formatted(0.913, 2), "0.91");
        assert_eq!(formatted(100.0, 0), "100");
    }
}
