//! The report as JSON, and the JSON Schema that is published for its readers as `conformance/report.schema.json`.
//!
//! It refuses a second form: the page's data and the file are the same.

use serde_json::Value;

use super::model::Report;

/// The report as indented JSON, with a line feed at the end.
///
/// # Panics
/// Never: the model has text keys only, and numbers that JSON knows.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("the model is JSON by its types");
    text.push('\n');
    text
}

/// The published schema, made from the types.
#[must_use]
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Report).to_value();
    if let Some(members) = schema.as_object_mut() {
        members.insert(
            "title".to_owned(),
            "A report of `payout-conformance run`".into(),
        );
    }
    schema
}

/// The same as a file: indented, with a line feed at the end.
#[must_use]
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/report.schema.json");

    #[test]
    fn published_schema_is_current() {
        if std::env::var_os("WRITE_SCHEMAS").is_some() {
            std::fs::write(PUBLISHED, schema_text()).unwrap();
        }
        let published = std::fs::read_to_string(PUBLISHED).unwrap_or_default();
        assert!(
            published == schema_text(),
            "conformance/report.schema.json is stale; this writes it anew: \
             WRITE_SCHEMAS=1 cargo test -p payout-conformance published_schema_is_current"
        );
    }

    #[test]
    fn report_keeps_the_published_schema() {
        let validator = jsonschema::draft202012::new(&schema()).unwrap();
        for report in [sample::report(), sample::conforming()] {
            let value: Value = serde_json::from_str(&text(&report)).unwrap();
            let broken: Vec<String> = validator
                .iter_errors(&value)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert_eq!(broken, Vec::<String>::new());
        }
    }

    #[test]
    fn summary_comes_before_the_cases() {
        let text = text(&sample::report());
        assert!(text.find("\"summary\"").unwrap() < text.find("\"cases\"").unwrap());
    }
}
