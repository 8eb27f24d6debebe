//! Writes the index of operations: one aligned line per operation.

use super::model::Model;

pub(super) fn generate(model: &Model) -> String {
    let rows: Vec<[String; 6]> = model
        .operations
        .iter()
        .map(|operation| {
            let statuses: Vec<String> = operation.statuses().iter().map(u16::to_string).collect();
            [
                operation.method.clone(),
                operation.path.clone(),
                operation.id.clone(),
                operation.profile.clone().unwrap_or_else(|| "-".to_owned()),
                operation.scope.clone().unwrap_or_else(|| "-".to_owned()),
                statuses.join(" "),
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut text =
        format!("# {}: method path operationId profile scope statuses\n", model.config.origin());
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
