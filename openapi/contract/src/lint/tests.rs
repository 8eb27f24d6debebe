//! The pages of the rules are their tests: the first example breaks the rule, the second keeps it.

use super::*;

const HEAD: &str = "openapi: 3.0.3\ninfo: { title: A library, version: \"1\" }\n";

/// The findings of a rule in an example of its page, with the severity `error`.
fn found(rule: &'static Rule, example: &str) -> Vec<Finding> {
    let paths = if example.contains("paths:") { "" } else { "paths: {}\n" };
    let text = format!("{HEAD}{paths}{example}");
    let mut severities: Severities = RULES.iter().map(|rule| (rule.id, Severity::Off)).collect();
    severities.insert(rule.id, Severity::Error);
    match Document::parse("library.yaml", &text) {
        Ok(document) => lint(&document, &severities),
        Err(DocumentError::Invalid(diagnostic)) => vec![of_invalid(*diagnostic)],
        Err(unreadable) => panic!("{unreadable}"),
    }
}

fn examples(rule: &Rule) -> Vec<&'static str> {
    let blocks = rule.page.split("```yaml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn each_page_has_an_example_that_breaks_the_rule_and_one_that_keeps_it() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{rule:?}");
        let [bad, good] = examples(rule)[..] else {
            panic!("{rule:?}: a page has two examples");
        };
        let findings = found(rule, bad);
        assert!(!findings.is_empty(), "{rule:?}: the first example keeps the rule");
        assert!(findings.iter().all(|finding| finding.rule == rule.id), "{findings:?}");
        assert!(findings.iter().all(|finding| finding.line > 2), "{findings:?}");
        assert_eq!(found(rule, good), [], "{rule:?}: the second example breaks the rule");
    }
}

#[test]
fn every_page_belongs_to_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lint");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let id = path.file_stem().unwrap().to_str().unwrap();
        assert!(RULES.iter().any(|rule| rule.id == id), "{}", path.display());
    }
}

#[test]
fn severities_come_from_the_configuration() {
    let configured = |rule: &str, severity: &str| {
        severities(&BTreeMap::from([(rule.to_owned(), severity.to_owned())]))
    };
    assert_eq!(configured("operation-id", "off").unwrap()["operation-id"], Severity::Off);
    let unknown = configured("operation-ids", "off").unwrap_err().to_string();
    assert!(unknown.contains("no rule `operation-ids`") && unknown.contains("operation-id,"));
    let unknown = configured("operation-id", "loud").unwrap_err().to_string();
    assert!(unknown.contains("\"error\", \"warning\" or \"off\""), "{unknown}");
}

/// The generator writes the sign as a word.
#[test]
fn value_with_a_sign_is_no_collision() {
    let example = "components:\n  schemas:\n    Order: { type: string, enum: [year, -year] }\n";
    assert_eq!(found(rule("enum-collision").unwrap(), example), []);
}

/// A mapping may name a schema without its path.
#[test]
fn schema_that_a_mapping_names_is_used() {
    let example = "components:\n  schemas:\n    Book: { type: object }\n    Medium:\n      \
                   oneOf: [{ type: object }]\n      \
                   discriminator: { propertyName: kind, mapping: { book: Book } }\n";
    let found = found(rule("unused-component").unwrap(), example);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pointer, "/components/schemas/Medium");
}
