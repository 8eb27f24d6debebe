//! What is not finished: stubs, markers, debugging aids, tests that never run.
//!
//! It refuses to weigh them: whatever is worth keeping belongs into the description of a later change.

use super::Rule;
use crate::tidy::{finding::Finding, tree::Tree};

const STUBS: [&str; 3] = ["dbg", "todo", "unimplemented"];
/// Spelled apart, or this file would be the first finding.
const MARKERS: [&str; 3] = [
    concat!("FIX", "ME"),
    concat!("TO", "DO"),
    concat!("XX", "X"),
];

pub(super) fn unfinished(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &tree.sources {
        for path in source.paths.iter().filter(|path| path.is_macro) {
            if path
                .segments
                .last()
                .is_some_and(|name| STUBS.contains(&name.as_str()))
            {
                findings.push(rule.finding(
                    &source.path,
                    path.line,
                    path.text(),
                    "finish it, or take it out",
                ));
            }
        }
        for (index, line) in source.text.lines().enumerate() {
            let words = line.split(|character: char| !character.is_ascii_alphanumeric());
            if let Some(marker) = words.into_iter().find(|word| MARKERS.contains(word)) {
                findings.push(rule.finding(
                    &source.path,
                    index + 1,
                    marker,
                    "do it now, or tell it elsewhere",
                ));
            }
        }
    }
    findings
}

pub(super) fn ignored_test(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &tree.sources {
        for path in source.paths.iter().filter(|path| path.is_attribute) {
            if path.segments == ["ignore"] {
                findings.push(rule.finding(
                    &source.path,
                    path.line,
                    "#[ignore]",
                    "mend the test, or remove it",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::findings;

    #[test]
    fn stubs_and_markers_are_found() {
        let text = format!(
            "fn f() {{\n  std::unimplemented!()\n}} // {}: later\n",
            super::MARKERS[0]
        );
        assert_eq!(
            findings("unfinished", &[("a.rs", &text)]),
            [
                "a.rs:2: std::unimplemented!".to_owned(),
                format!("a.rs:3: {}", super::MARKERS[0])
            ]
        );
        assert!(findings("unfinished", &[("a.rs", "fn todo() { todo(); }")]).is_empty());
    }

    #[test]
    fn ignored_test_is_found() {
        assert_eq!(
            findings(
                "ignored-test",
                &[("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}")]
            ),
            ["a.rs:2: #[ignore]"]
        );
        assert!(
            findings(
                "ignored-test",
                &[("a.rs", "#[test] fn ignore() { ignore(); }")]
            )
            .is_empty()
        );
    }
}
