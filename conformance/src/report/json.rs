//! Reports as JSON. The schema of a run's is published as `conformance/report.schema.json`.

use serde::Serialize;

/// A report as indented JSON, with a line feed at the end.
pub(crate) fn text<T: Serialize>(report: &T) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("the model is JSON by its types");
    text.push('\n');
    text
}
