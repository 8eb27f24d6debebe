//! Circles between the modules of one crate's top level. Of a circle, each use on the shortest way
//! around is printed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{
    Check, Rule, finding,
    tree::{Source, Tree},
};

pub(super) const CIRCLES: Rule = Rule {
    id: "circles",
    why: "a module of a crate's top level can be read, tested and moved without those that use it",
    check: Check::Tree(circles),
};

/// The uses of one module by another: the first of each, as `path:line`.
type Uses<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Use<'a>>>;

struct Use<'a> {
    path: &'a str,
    line: usize,
}

fn circles(tree: &Tree) -> Vec<String> {
    let roots = tree.sources.iter().filter_map(|source| {
        let root = ["/lib.rs", "/main.rs"].iter().find_map(|name| source.path.strip_suffix(name));
        root.filter(|root| root.ends_with("/src"))
    });
    let roots: BTreeSet<&str> = roots.collect();
    roots.into_iter().flat_map(|root| circles_of(tree, root)).collect()
}

fn circles_of(tree: &Tree, root: &str) -> Vec<String> {
    let uses = uses(tree, root);
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for module in uses.keys() {
        let Some(circle) = shortest_circle(&uses, module) else { continue };
        if circle.iter().any(|module| seen.contains(module)) {
            continue;
        }
        for (index, from) in circle.iter().enumerate() {
            let to = circle[(index + 1) % circle.len()];
            let Use { path, line } = uses[from][to];
            let what = format!("{from} uses {to}");
            findings.push(finding(path, line, &what, "move what both use into a third module"));
        }
        seen.extend(circle);
    }
    findings
}

/// The modules of the crate's top level, each with those that it uses.
fn uses<'a>(tree: &'a Tree, root: &str) -> Uses<'a> {
    let sources = || tree.sources.iter().filter(|source| source.is_in(root));
    let modules: BTreeSet<&str> = sources().filter_map(|source| module(source, root)).collect();
    // A name that the crate's root exports leads to its module.
    let mut exported = BTreeMap::new();
    for path in sources().filter(|source| module(source, root).is_none()).flat_map(|s| &s.paths) {
        let segments = path.segments.iter().map(String::as_str).skip_while(|name| *name == "crate");
        let segments: Vec<&str> = segments.collect();
        if let [first, .., last] = segments[..]
            && modules.contains(first)
        {
            exported.insert(last, first);
        }
    }
    let mut uses = Uses::new();
    for source in sources() {
        let Some(from) = module(source, root) else { continue };
        for path in source.paths.iter().filter(|path| path.segments[0] == "crate") {
            let Some(name) = path.segments.get(1).map(String::as_str) else { continue };
            let to = modules.get(name).or_else(|| exported.get(name));
            if let Some(to) = to.filter(|to| **to != from) {
                let first = Use { path: &source.path, line: path.line };
                uses.entry(from).or_default().entry(to).or_insert(first);
            }
        }
    }
    uses
}

/// `gate` for `server/src/gate/key.rs`; `None` for the crate's root and its other programs.
fn module<'a>(source: &'a Source, root: &str) -> Option<&'a str> {
    let inside = source.path.strip_prefix(root)?.strip_prefix('/')?;
    let name = inside.split('/').next()?.trim_end_matches(".rs");
    (source.is_rust() && !["lib", "main", "bin"].contains(&name)).then_some(name)
}

/// The modules of the shortest way from this module to itself.
fn shortest_circle<'a>(uses: &Uses<'a>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut visited = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for to in way.last().and_then(|last| uses.get(last)).into_iter().flat_map(BTreeMap::keys) {
            if *to == start {
                return Some(way);
            }
            if visited.insert(*to) {
                ways.push_back([way.as_slice(), &[to]].concat());
            }
        }
    }
    None
}
