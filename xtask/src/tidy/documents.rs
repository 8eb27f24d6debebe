//! Links in Markdown files, and the reasons of decisions.

use std::{collections::BTreeSet, path::Path};

use super::{
    Check, Rule, finding,
    tree::{Source, Tree},
};

pub(super) const LINKS: Rule =
    Rule { id: "links", why: "a link to a file must lead to it", check: Check::Tree(links) };
pub(super) const DECISIONS: Rule = Rule {
    id: "decisions",
    why: "each x-decision of the document has a row with its reason in openapi/API.md",
    check: Check::Tree(decisions),
};

pub(super) const TOOLKIT: Rule = Rule {
    id: "toolkit",
    why: "the tools in openapi/ serve any document, so they name nothing of ours",
    check: Check::Tree(toolkit),
};

const DOCUMENT: &str = "openapi/api.yaml";
const REASONS: &str = "openapi/API.md";

/// Relative links to files; addresses and anchors are not checked.
fn links(tree: &Tree) -> Vec<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut findings = Vec::new();
    let sources = tree.sources.iter();
    for Source { path, text, .. } in sources.filter(|source| source.path.ends_with(".md")) {
        let folder = root.join(path);
        let folder = folder.parent().unwrap_or(root);
        for (index, line) in text.lines().enumerate() {
            let targets = line.split("](").skip(1);
            for target in targets.filter_map(|rest| rest.split(')').next()) {
                let file = target.split('#').next().unwrap_or_default();
                // Rustdoc links of items have no dot or slash; addresses have a colon.
                let is_file = file.contains(['.', '/']) && !file.contains(':');
                if is_file && !folder.join(file).exists() {
                    findings.push(finding(path, index + 1, target, "link to an existing file"));
                }
            }
        }
    }
    findings
}

/// Our document, its page, and what is made of it may name what it is about.
fn toolkit(tree: &Tree) -> Vec<String> {
    const OURS: [&str; 3] = [DOCUMENT, REASONS, "openapi/operations.txt"];
    let is_tool = |path: &str| {
        path.starts_with("openapi/")
            && !path.starts_with("openapi/released/")
            && !OURS.contains(&path)
    };
    let mut findings = Vec::new();
    for Source { path, text, .. } in tree.sources.iter().filter(|source| is_tool(&source.path)) {
        for (index, line) in text.to_lowercase().lines().enumerate() {
            let names = ["commission", "partner", "payout"].into_iter();
            findings.extend(
                names
                    .filter(|name| line.contains(name))
                    .map(|name| finding(path, index + 1, name, "take an example of another field")),
            );
        }
    }
    findings
}

fn decisions(tree: &Tree) -> Vec<String> {
    let rows = tree.text(REASONS).lines();
    let rows = rows.filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let rows: BTreeSet<&str> = rows.collect();
    let mut findings = Vec::new();
    for (index, line) in tree.text(DOCUMENT).lines().enumerate() {
        let (_, ids) = line.split_once("x-decision:").unwrap_or_default();
        let ids = ids.split(['[', ']', ',', ' ', '"', '}']);
        for id in ids.filter(|id| !id.is_empty() && !rows.contains(id)) {
            let what = format!("x-decision {id} has no reason");
            let help = format!("add a row `| {id} | … |` with the reason to {REASONS}");
            findings.push(finding(DOCUMENT, index + 1, &what, &help));
        }
    }
    findings
}
