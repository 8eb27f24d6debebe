//! The versions of projects beside the workspace: the example and the fuzzers.

use std::collections::BTreeSet;

use super::{Check, Rule, finding, tree::Tree};

pub(super) const LOCKS: Rule = Rule {
    id: "locks",
    why: "`cargo deny check` reads the Cargo.lock of the workspace, so what another one locks must \
          be in it",
    check: Check::Tree(locks),
};

const OURS: &str = "Cargo.lock";

/// Packages of the fuzzers alone, which are in nothing that is shipped.
const OF_FUZZERS: [&str; 2] = ["jobserver", "libfuzzer-sys"];

fn locks(tree: &Tree) -> Vec<String> {
    let ours = packages(tree.text(OURS)).into_iter().map(|(_, package)| package);
    let ours: BTreeSet<_> = ours.collect();
    let mut findings = Vec::new();
    let others = tree.sources.iter().filter(|source| source.file_name() == OURS);
    for source in others {
        for (line, package) in packages(&source.text) {
            if !ours.contains(&package) && !OF_FUZZERS.contains(&package.0) {
                let what = format!("{} {} is not in {OURS}", package.0, package.1);
                let help = "copy that one there, and run `cargo metadata` in the folder";
                findings.push(finding(&source.path, line, &what, help));
            }
        }
    }
    findings
}

/// The packages from a registry: the line, name and version of each.
fn packages(lock: &str) -> Vec<(usize, (&str, &str))> {
    let value = |line, name| str::strip_prefix(line, name).map(|value| value.trim_matches('"'));
    let lines: Vec<&str> = lock.lines().collect();
    let packages = lines.windows(3).zip(1..).filter_map(|(lines, number)| {
        value(lines[2], "source = ")?;
        Some((number, (value(lines[0], "name = ")?, value(lines[1], "version = ")?)))
    });
    packages.collect()
}
