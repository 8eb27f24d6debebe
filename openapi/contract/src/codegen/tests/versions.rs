//! The supported versions, from released documents and the document itself.

use super::{config, data, server_of, squeeze, squeezed};
use crate::codegen::read;

const DEPRECATED: &str = r#"version: "3", x-deprecated-versions:
  { "1": { deprecated: "2026-01-01T00:00:00Z", sunset: "2027-01-01T00:00:00Z" } } }"#;

fn document(info: &str) -> String {
    data("generated/base.yaml").replacen(r#"version: "1" }"#, info, 1)
}

#[test]
fn versions_are_those_of_released_documents_and_the_own_one_last() {
    let released = ["1", "2", "3"].map(str::to_owned);
    let text = squeezed(&server_of(&document(DEPRECATED), &released), "versions.rs");
    let deprecation = r#"Some(Deprecation { deprecated: "@1767225600", sunset: "Fri, 01 Jan 2027 "#;
    for (name, deprecation) in [("1", deprecation), ("2", "None"), ("3", "None }, ];")] {
        let expected = format!("Version {{ name: \"{name}\", deprecation: {deprecation}");
        assert!(text.contains(&squeeze(&expected)), "{expected} is not in {text}");
    }
}

#[test]
fn marks_of_versions_are_checked() {
    let reports = |info: &str, member: &str, problem: &str| {
        let document = super::document(&document(info));
        let diagnostics = read::read(&document, &["1".to_owned()], &config()).unwrap_err();
        let pointer = format!("/info/x-deprecated-versions/{member}");
        let found = diagnostics.iter().find(|diagnostic| diagnostic.pointer == pointer);
        let found = found.unwrap_or_else(|| panic!("not among {diagnostics:#?}"));
        assert!(found.problem.contains(problem), "{found}");
        assert!(found.help.is_some(), "{found}");
    };
    reports(&DEPRECATED.replace(r#"{ "1":"#, r#"{ "2":"#), "2", "no released document");
    reports(&DEPRECATED.replace(r#"{ "1":"#, r#"{ "3":"#), "3", "own version");
    reports(&DEPRECATED.replace("2027-01-01", "2026-12-31"), "1/sunset", "too early");
    reports(&DEPRECATED.replace("2026-01-01", "soon"), "1", "must be times");
}
