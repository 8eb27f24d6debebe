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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn published_schema_is_current() {
        crate::published::is_current("report.schema.json", &schema());
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
