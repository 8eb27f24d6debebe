//! Tables and times for people, JSON for scripts.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

/// Writes an instant as the API prints it (V2).
pub(crate) fn time(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Columns as wide as their widest cell, the last one ragged.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let head = line(heads.to_vec());
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    std::iter::once(head).chain(body).collect::<Vec<_>>().join("\n")
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("printed values have string keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![vec!["ä".into(), "1".into()], vec!["long".into(), "22".into()]];
        assert_eq!(table(&["id", "n"], &rows), "id    n\nä     1\nlong  22");
    }

    #[test]
    fn times_have_milliseconds() {
        let instant = "2026-05-20T09:30:00Z".parse().unwrap();
        assert_eq!(time(instant), "2026-05-20T09:30:00.000Z");
    }
}
