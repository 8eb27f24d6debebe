//! From text to a [`Dataset`]: JSON, then the published schema, then the rules between entries.
//! All violations are reported at once.

use openapi_document::pointer;
use serde_json::Value;

use super::{Violation, check, format::Dataset, json_lines};

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It breaks rules; nothing was imported.
    #[error("{}", list(violations))]
    Rules {
        /// All violations with their lines, in the order of the file.
        violations: Vec<(Option<usize>, Violation)>,
    },
}

/// The published schema, made from the types.
pub(super) fn schema() -> Value {
    let mut schema = schemars::schema_for!(Dataset).to_value();
    if let Some(members) = schema.as_object_mut() {
        members.insert("title".to_owned(), "A file for `payout-devdata import`".into());
    }
    schema
}

/// Reads and validates a whole file.
///
/// # Errors
/// It is not JSON, or it breaks rules.
pub fn read(text: &str) -> Result<Dataset, FileError> {
    let value: Value = serde_json::from_str(text)?;
    let validator =
        jsonschema::draft202012::new(&schema()).expect("a schema made from types is valid");
    let violations: Vec<Violation> = validator
        .iter_errors(&value)
        .map(|error| Violation {
            pointer: error.instance_path().as_str().to_owned(),
            message: error.masked().to_string(),
        })
        .chain(nul_characters(&value))
        .collect();
    report(text, violations)?;
    let dataset: Dataset = serde_json::from_value(value)?;
    report(text, check::violations(&dataset))?;
    Ok(dataset)
}

fn report(text: &str, violations: Vec<Violation>) -> Result<(), FileError> {
    if violations.is_empty() {
        return Ok(());
    }
    let mut violations: Vec<(Option<usize>, Violation)> = violations
        .into_iter()
        .map(|violation| (json_lines::line_of(text, &violation.pointer), violation))
        .collect();
    violations.sort_by(|(line, one), (other_line, other)| {
        (line, &one.pointer).cmp(&(other_line, &other.pointer))
    });
    Err(FileError::Rules { violations })
}

/// PostgreSQL cannot store U+0000 (R3).
fn nul_characters(value: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut rest = vec![(String::new(), value)];
    while let Some((pointer, value)) = rest.pop() {
        let has_nul = |text: &str| text.contains('\0');
        match value {
            Value::String(text) if has_nul(text) => found.push(pointer.clone()),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                rest.extend(items.map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            Value::Object(members) => {
                found.extend(members.keys().any(|name| has_nul(name)).then(|| pointer.clone()));
                let members = members.iter();
                rest.extend(members.map(|(name, item)| (pointer::join(&pointer, name), item)));
            }
            _ => {}
        }
    }
    let message = "must not contain U+0000";
    found.into_iter().map(|pointer| Violation { pointer, message: message.to_owned() }).collect()
}

fn list(violations: &[(Option<usize>, Violation)]) -> String {
    let mut text = match violations.len() {
        1 => "1 rule is broken; nothing was imported:".to_owned(),
        count => format!("{count} rules are broken; nothing was imported:"),
    };
    for (line, violation) in violations {
        let line = line.map_or(String::new(), |line| format!("line {line}, "));
        let pointer = if violation.pointer.is_empty() { "the file" } else { &violation.pointer };
        text.push_str(&format!("\n  {line}{pointer}: {}", violation.message));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(text: &str) -> Vec<String> {
        match read(text) {
            Err(FileError::Rules { violations }) => violations
                .into_iter()
                .map(|(line, violation)| format!("{}:{}", line.unwrap_or(0), violation.pointer))
                .collect(),
            other => panic!("expected broken rules, got {other:?}"),
        }
    }

    #[test]
    fn all_violations_of_the_schema_are_reported_with_their_lines() {
        let text = "{\"organizations\": [\n{\"name\": \"\",\n \"tiers\": [{\"ref\": \"A B\",\n \
                    \"name\": \"x\"}],\n\"limits\": {\"requestsPerMinute\": 0}, \"colour\": 1}]}";
        assert_eq!(
            violations(text),
            [
                "2:/organizations/0",
                "2:/organizations/0/name",
                "3:/organizations/0/tiers/0/ref",
                "5:/organizations/0/limits/requestsPerMinute"
            ]
        );
    }

    #[test]
    fn text_that_is_not_json_is_rejected_with_its_line() {
        let error = read("{\n\"organizations\": [,]}").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn nul_is_rejected_everywhere() {
        let text = r#"{"organizations": [{"name": "a\u0000", "partners": [{"ref": "p", "name": "p",
            "companyCrmProperties": {"x": [{"k\u0000": 1}]}}]}]}"#;
        let found = violations(text);
        assert!(found.contains(&"1:/organizations/0/name".to_owned()), "{found:?}");
        let inner = "/organizations/0/partners/0/companyCrmProperties/x/0";
        assert!(found.iter().any(|pointer| pointer.ends_with(inner)), "{found:?}");
    }

    #[test]
    fn the_published_schema_is_the_one_of_the_types() {
        let published = include_str!("../../../../conformance/dataset.schema.json");
        let published: Value = serde_json::from_str(published).unwrap();
        assert!(
            published == schema(),
            "conformance/dataset.schema.json is stale; to update it: \
             cargo run --bin payout-devdata import --print-schema > conformance/dataset.schema.json"
        );
    }

    #[test]
    fn our_own_dataset_breaks_no_rule() {
        let dataset = read(crate::DATASET).expect("a valid file");
        assert_eq!(dataset.organizations.len(), 7);
    }
}
