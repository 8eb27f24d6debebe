//! The supported versions, from released documents and the document itself.

use super::{data, server_of, squeeze, squeezed};

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
