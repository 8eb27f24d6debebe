//! What the documents owe each other: decisions their reasons, links their ends, commands their names.
//!
//! It refuses to judge prose.

use std::{collections::BTreeSet, path::Path};

use clap::CommandFactory as _;

use super::Rule;
use crate::{
    Arguments,
    tidy::{finding::Finding, tree::Tree},
};

const DOCUMENT: &str = "openapi/api.yaml";
const REASONS: &str = "openapi/README.md";
const README: &str = "README.md";
const COMMAND: &str = "cargo xtask ";

pub(super) fn decisions(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let reasons = tree.texts.get(REASONS).map_or("", String::as_str);
    let rows: BTreeSet<&str> = reasons
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .collect();
    let document = tree.texts.get(DOCUMENT).map_or("", String::as_str);
    let mut findings = Vec::new();
    for (index, line) in document.lines().enumerate() {
        let Some((_, ids)) = line.split_once("x-decision:") else {
            continue;
        };
        for id in ids
            .split(['[', ']', ',', ' ', '"', '}'])
            .filter(|id| !id.is_empty())
        {
            if !rows.contains(id) {
                let mend = format!("write a row `| {id} | … |` with the reason into {REASONS}");
                findings.push(rule.finding(
                    DOCUMENT,
                    index + 1,
                    format!("x-decision {id} has no reason"),
                    mend,
                ));
            }
        }
    }
    findings
}

/// Relative links to files; anchors and addresses are left to whoever reads them.
pub(super) fn links(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the project");
    let mut findings = Vec::new();
    for (path, text) in tree.texts.iter().filter(|(path, _)| path.ends_with(".md")) {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        for (index, line) in text.lines().enumerate() {
            for target in line
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
            {
                let file = target.split('#').next().unwrap_or_default();
                let is_file = !file.is_empty() && !file.contains("::") && !file.contains(':');
                // Links of documents that are also rustdoc name items, which have no dot or slash.
                let is_file = is_file && file.contains(['.', '/']);
                if is_file && !root.join(folder).join(file).exists() {
                    findings.push(rule.finding(path, index + 1, target, "name a file that exists"));
                }
            }
        }
    }
    findings
}

pub(super) fn commands(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let command = Arguments::command();
    let known: BTreeSet<String> = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let readme = tree.texts.get(README).map_or("", String::as_str);
    let mut named = BTreeSet::new();
    let mut findings = Vec::new();
    for (index, line) in readme.lines().enumerate() {
        for rest in line.split(COMMAND).skip(1) {
            let name: String = rest
                .chars()
                .take_while(|character| character.is_ascii_lowercase())
                .collect();
            if !name.is_empty() && !known.contains(&name) {
                findings.push(rule.finding(
                    README,
                    index + 1,
                    format!("{COMMAND}{name}"),
                    "`cargo xtask --help` lists the commands",
                ));
            }
            named.insert(name);
        }
    }
    let untold = known.difference(&named);
    findings.extend(untold.map(|name| {
        rule.finding(
            README,
            1,
            format!("{COMMAND}{name} is not mentioned"),
            "say there what it is for",
        )
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::super::findings;

    #[test]
    fn decision_without_a_reason_is_found() {
        let document = "a:\n  x-decision: V1\nb: { x-decision: [R2, errors] }\n";
        let reasons = "| id | item |\n| V1 | ids |\n| errors | the table |\n";
        assert_eq!(
            findings(
                "decisions",
                &[
                    ("openapi/api.yaml", document),
                    ("openapi/README.md", reasons)
                ]
            ),
            ["openapi/api.yaml:3: x-decision R2 has no reason"]
        );
    }

    #[test]
    fn link_to_nowhere_is_found() {
        let text = "[a](../Cargo.toml) [b](src/lost.rs#L1) [c](#below) [d](https://example.com/x.y) [e](Client)";
        assert_eq!(
            findings("links", &[("xtask/README.md", text)]),
            ["xtask/README.md:1: src/lost.rs#L1"]
        );
    }

    #[test]
    fn unknown_and_untold_commands_are_found() {
        let found = findings(
            "commands",
            &[("README.md", "`cargo xtask tidy` and `cargo xtask fly`")],
        );
        assert_eq!(found[0], "README.md:1: cargo xtask fly");
        assert!(
            found.contains(&"README.md:1: cargo xtask test is not mentioned".to_owned()),
            "{found:?}"
        );
        assert!(
            !found.iter().any(|finding| finding.contains("xtask tidy")),
            "{found:?}"
        );
    }
}
