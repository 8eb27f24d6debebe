//! The pages of the rules are tests: the first example breaks the rule, the second keeps it.
//! `tests/data/lint` has more documents, by rule, with the findings in their last lines.

use std::fs;

use super::*;

/// Lints a document with one rule, as an error.
fn found(rule: &'static Rule, text: &str) -> Vec<Finding> {
    let mut severities: Severities = RULES.iter().map(|rule| (rule.id, Severity::Off)).collect();
    severities.insert(rule.id, Severity::Error);
    match Document::parse("library.yaml", text) {
        Ok(document) => lint(&document, &Config::default(), &severities),
        Err(DocumentError::Invalid(found)) => found.into_iter().map(of_invalid).collect(),
        Err(unreadable) => panic!("{unreadable}"),
    }
}

fn examples(rule: &Rule) -> Vec<String> {
    let blocks = rule.page.split("```yaml\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    let head = "openapi: 3.0.3\ninfo: { title: A library, version: \"1\" }\n";
    let whole = |example: &str| match example.contains("paths:") {
        true => format!("{head}{example}"),
        false => format!("{head}paths: {{}}\n{example}"),
    };
    blocks.map(whole).collect()
}

#[test]
fn each_page_has_an_example_that_breaks_the_rule_and_one_that_keeps_it() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{rule:?}");
        let examples = examples(rule);
        let [bad, good] = &examples[..] else {
            panic!("{rule:?}: a page has two examples");
        };
        let findings = found(rule, bad);
        assert!(!findings.is_empty(), "{rule:?}: the first example keeps the rule");
        assert!(findings.iter().all(|finding| finding.rule == rule.id), "{findings:?}");
        assert!(findings.iter().all(|finding| finding.line > 2), "{findings:?}");
        assert_eq!(found(rule, good), [], "{rule:?}: the second example breaks the rule");
    }
}

fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.collect()
}

#[test]
fn documents_have_the_findings_of_their_last_lines() {
    for folder in entries("tests/data/lint") {
        let rule = rule(folder.file_name().unwrap().to_str().unwrap()).unwrap();
        for path in entries(folder.to_str().unwrap()) {
            let text = fs::read_to_string(&path).unwrap();
            let expected: Vec<_> =
                text.lines().filter_map(|line| line.strip_prefix("# /")).collect();
            let found = found(rule, &text);
            let found: Vec<_> = found.iter().map(|finding| &finding.pointer[1..]).collect();
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}

#[test]
fn every_page_belongs_to_a_rule() {
    for path in entries("lint") {
        rule(path.file_stem().unwrap().to_str().unwrap()).unwrap();
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
