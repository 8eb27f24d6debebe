//! Circular imports between folders of one package.
//!
//! An import between two files is an import between the sibling folders that contain them: from
//! `gate/key.rs` to `http/limits/body.rs` it is one from `gate` to `http`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Check, Finding, Rule,
    tree::{Source, Tree},
};

pub(super) const CIRCLES: Rule = Rule {
    id: "circles",
    why: "folders that import each other can only be understood and changed together",
    check: Check::Tree(circles),
};

/// Importing and imported folder, and the first such import: file, line, path.
type Edges<'a> = BTreeMap<(String, String), (&'a str, usize, String)>;

fn circles(tree: &Tree) -> Vec<Finding> {
    let edges = edges(tree);
    let mut findings = Vec::new();
    for ((from, to), (file, line, path)) in &edges {
        if let Some(way) = way(&edges, to, from, &mut BTreeSet::new()) {
            let what = format!("{path} closes the circle {from} → {}", way.join(" → "));
            let help = "move what both need into a folder that imports neither";
            findings.push(Finding::new(*file, *line, what, help));
        }
    }
    findings
}

fn edges(tree: &Tree) -> Edges<'_> {
    let folders: BTreeSet<&str> = tree.sources.iter().flat_map(folders_of).collect();
    let mut edges = Edges::new();
    for source in &tree.sources {
        let Some((root, _)) = source.path.split_once("src/") else {
            continue;
        };
        for path in source.paths.iter().filter(|path| path.segments[0] == "crate") {
            let target = format!("{root}src/{}/", path.segments[1..].join("/"));
            let Some((from, to)) = siblings(&source.path, &target) else {
                continue;
            };
            if folders.contains(from) && folders.contains(to) {
                let edge = (from.to_owned(), to.to_owned());
                let import = (source.path.as_str(), path.line, path.text());
                edges.entry(edge).or_insert(import);
            }
        }
    }
    edges
}

/// Every folder above a file.
fn folders_of(source: &Source) -> impl Iterator<Item = &str> {
    let ends = source.path.match_indices('/');
    ends.map(|(end, _)| &source.path[..end])
}

/// The folders in which two paths part: `a/b` and `a/d` of `a/b/c.rs` and `a/d/e/`.
fn siblings<'a>(from: &'a str, to: &'a str) -> Option<(&'a str, &'a str)> {
    let mut start = 0;
    loop {
        let from_end = start + from[start..].find('/')?;
        let to_end = start + to[start..].find('/')?;
        if from[..from_end] != to[..to_end] {
            return Some((&from[..from_end], &to[..to_end]));
        }
        start = from_end + 1;
    }
}

/// A way of imports, including both ends; `seen` are folders from which there is none.
fn way<'a>(
    edges: &'a Edges<'_>,
    from: &'a str,
    to: &str,
    seen: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if from == to {
        return Some(vec![from]);
    }
    if !seen.insert(from) {
        return None;
    }
    let imported = edges.keys().filter(|(importing, _)| importing == from);
    let rest = imported.into_iter().find_map(|(_, next)| way(edges, next, to, seen))?;
    Some([&[from], rest.as_slice()].concat())
}

#[cfg(test)]
mod tests {
    use super::{super::findings, *};

    #[test]
    fn folders_that_import_each_other_are_found() {
        let files = [
            ("server/src/gate/key.rs", "use crate::http::limits::Body;"),
            ("server/src/http/limits/body.rs", "use crate::metrics::Metrics;"),
            ("server/src/metrics/mod.rs", "fn f() { crate::gate::key::f() }"),
        ];
        let circle = |import: &str, folders: [&str; 4]| {
            let folders = folders.map(|folder| format!("server/src/{folder}"));
            format!("{import} closes the circle {}", folders.join(" → "))
        };
        let expected = [
            "server/src/gate/key.rs:1: ".to_owned()
                + &circle("crate::http::limits::Body", ["gate", "http", "metrics", "gate"]),
            "server/src/http/limits/body.rs:1: ".to_owned()
                + &circle("crate::metrics::Metrics", ["http", "metrics", "gate", "http"]),
            "server/src/metrics/mod.rs:1: ".to_owned()
                + &circle("crate::gate::key::f", ["metrics", "gate", "http", "metrics"]),
        ];
        assert_eq!(findings(&CIRCLES, &files), expected);
        assert_eq!(findings(&CIRCLES, &files[..2]), [""; 0]);
    }

    #[test]
    fn nested_folders_are_compared_with_their_siblings() {
        let files = [
            ("server/src/gate/key/mod.rs", "use super::credits::Credits;"),
            ("server/src/gate/credits/mod.rs", "use super::key::Key;"),
        ];
        assert_eq!(findings(&CIRCLES, &files).len(), 2);
    }

    #[test]
    fn own_folder_files_parents_and_other_packages_close_no_circle() {
        let files = [
            ("server/src/gate/key.rs", "use super::credits::A; use crate::app::App;"),
            ("server/src/gate/credits.rs", "use super::key::B; use super::C;"),
            ("server/src/gate/mod.rs", "use key::B;"),
            ("server/src/app.rs", "use crate::gate::Gate;"),
            ("client/src/http/mod.rs", "use crate::gate::Gate;"),
            ("client/src/gate/mod.rs", ""),
        ];
        assert_eq!(findings(&CIRCLES, &files), [""; 0]);
    }
}
