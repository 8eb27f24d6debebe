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
