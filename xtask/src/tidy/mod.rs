//! `cargo xtask tidy`: rules of this project that neither the compiler nor clippy knows.
//!
//! Imports are read from tokens (`paths`), never from resolved names or types: a rule sees what a
//! file names by path.

mod circles;
mod documents;
mod imports;
mod lines;
mod locks;
mod paths;
mod tree;

use std::path::Path;

use self::{
    imports::{IMPORTS, SERVER, STATEMENT},
    paths::PathUse,
    tree::{Source, Tree},
};
use crate::Result;

struct Rule {
    id: &'static str,
    why: &'static str,
    check: Check,
}

/// A finding is the line that is printed of it: `path:line: what → help`.
enum Check {
    Tree(fn(&Tree) -> Vec<String>),
    /// The help for a forbidden path in the server, and a function that finds one in a file.
    Import(&'static str, fn(&Tree, &Source, &PathUse) -> bool),
}

const RULES: [Rule; 6] = [
    lines::LINES,
    locks::LOCKS,
    circles::CIRCLES,
    documents::LINKS,
    documents::DECISIONS,
    documents::TOOLKIT,
];

/// Checks the project below `root` and prints its findings; `true` where there are none.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    let mut count = 0;
    for rule @ Rule { id, why, .. } in RULES.iter().chain(&IMPORTS) {
        let findings = rule.findings(&tree);
        for finding in &findings {
            anstream::println!("{id}: {finding}");
        }
        if !findings.is_empty() {
            anstream::println!("{id}: {why}\n");
        }
        count += findings.len();
    }
    match count {
        0 => anstream::println!("tidy: all {} rules hold", RULES.len() + IMPORTS.len()),
        count => anstream::println!("tidy: {count} findings"),
    }
    Ok(count == 0)
}

impl Rule {
    fn findings(&self, tree: &Tree) -> Vec<String> {
        let (help, is_forbidden) = match self.check {
            Check::Tree(check) => return check(tree),
            Check::Import(help, is_forbidden) => (help, is_forbidden),
        };
        let sources =
            tree.sources.iter().filter(|source| source.is_in(SERVER) || source.is_in(STATEMENT));
        let findings = sources.flat_map(|source| {
            let forbidden = source.paths.iter().filter(|path| is_forbidden(tree, source, path));
            forbidden.map(|path| finding(&source.path, path.line, &path.text(), help))
        });
        findings.collect()
    }
}

fn finding(path: &str, line: usize, what: &str, help: &str) -> String {
    format!("{path}:{line}: {what} → {help}")
}

/// The findings of a rule in these files, without help.
#[cfg(test)]
fn findings(rule: &Rule, files: &[(&str, &str)]) -> Vec<String> {
    let findings = rule.findings(&Tree::of(files));
    let split = findings.iter().map(|finding| finding.split_once(" → ").expect("help follows"));
    split.map(|(what, _)| what.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// `*3*text` is the text three times.
    fn repeated(text: &str) -> String {
        match text.strip_prefix('*').and_then(|rest| rest.split_once('*')) {
            Some((count, text)) => text.repeat(count.parse().unwrap()),
            None => text.to_owned(),
        }
    }

    /// Each case of `planted.txt` is a rule, its files as `path | text`, and `= finding` of each
    /// finding.
    #[test]
    fn each_rule_finds_what_is_planted() {
        let mut unplanted: BTreeSet<&str> =
            RULES.iter().chain(&IMPORTS).map(|rule| rule.id).collect();
        for case in include_str!("planted.txt").trim_end().split("\n\n") {
            let lines: Vec<&str> = case.lines().filter(|line| !line.starts_with('#')).collect();
            let rule = RULES.iter().chain(&IMPORTS).find(|rule| rule.id == lines[0]).unwrap();
            let files = lines[1..].iter().filter_map(|line| line.split_once(" |"));
            let files: Vec<_> =
                files.map(|(path, text)| (path, repeated(&text.replace("\\n", "\n")))).collect();
            let files: Vec<_> =
                files.iter().map(|(path, text)| (*path, text.trim_start_matches(' '))).collect();
            let mut found = findings(rule, &files);
            found.sort();
            let expected: Vec<_> =
                lines.iter().filter_map(|line| line.strip_prefix("= ")).collect();
            assert_eq!(found, expected, "{case}");
            unplanted.remove(rule.id);
        }
        assert_eq!(unplanted.into_iter().collect::<Vec<_>>(), [""; 0]);
    }
}
