//! Reports as JSON. The schema of a run's is published as `conformance/report.schema.json`.

use serde::Serialize;

/// A report as indented JSON, with a line feed at the end.
pub(crate) fn text(report: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("the model is JSON by its types");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::{model::Report, sample};

    /// The published schema, made from the types.
    fn schema() -> Value {
        let mut schema = schemars::schema_for!(Report).to_value();
        schema["title"] = "A report of `payout-conformance run`".into();
        schema
    }

    #[test]
    fn published_schema_is_current() {
        crate::tests::is_current("report.schema.json", &schema());
    }

    #[test]
    fn report_keeps_the_published_schema() {
        let validator = jsonschema::draft202012::new(&schema()).unwrap();
        for report in [sample::report(), sample::conforming()] {
            let value: Value = serde_json::from_str(&text(&report)).unwrap();
            let errors: Vec<String> = validator
                .iter_errors(&value)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert_eq!(errors, Vec::<String>::new());
        }
    }

    #[test]
    fn summary_comes_before_the_cases() {
        let text = text(&sample::report());
        assert!(text.find("\"summary\"").unwrap() < text.find("\"cases\"").unwrap());
    }
}
