//! Which folder of the server may see which.
//!
//! It refuses a list of resources by hand: a folder of the server with a `store.rs` is one.

use std::collections::BTreeSet;

use super::Rule;
use crate::tidy::{finding::Finding, paths::PathUse, source::Source, tree::Tree};

const SERVER: &str = "server/src";
/// Rooms of the operator, who works on models and stores directly.
const OPERATOR: [&str; 1] = ["server/src/cli"];
/// The files of a resource behind its door.
const INSIDE: [&str; 4] = ["handlers", "model", "store", "layout"];

pub(super) fn contract_alone(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    each_path(tree, |source, path| {
        let leaves = source.is_in("server/src/contract")
            && path.segments[0] == "crate"
            && path.segments.get(1).is_some_and(|room| room != "contract");
        leaves.then(|| {
            rule.finding(
                &source.path,
                path.line,
                path.text(),
                "reach it through an associated type of `traits::Api`, or move what is used into contract/",
            )
        })
    })
}

pub(super) fn resources_meet_at_the_door(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let resources = resources(tree);
    each_path(tree, |source, path| {
        let room = room_of(source)?;
        let other =
            named_room(path).filter(|other| *other != room && resources.contains(*other))?;
        let inside = path
            .segments
            .get(2)
            .is_some_and(|part| INSIDE.contains(&part.as_str()));
        (inside && resources.contains(room)).then(|| {
            let mend = format!("re-export it in {SERVER}/{other}/mod.rs and name it from there");
            rule.finding(&source.path, path.line, path.text(), mend)
        })
    })
}

pub(super) fn gate_sees_no_resource(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let resources = resources(tree);
    each_path(tree, |source, path| {
        let resource = named_room(path).filter(|room| resources.contains(*room))?;
        source.is_in("server/src/gate").then(|| {
            let mend = format!(
                "let {resource} ask the gate, or put what both need into a room of its own"
            );
            rule.finding(&source.path, path.line, path.text(), mend)
        })
    })
}

pub(super) fn operator_never_routes(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    each_path(tree, |source, path| {
        let operator = OPERATOR.iter().any(|folder| source.is_in(folder));
        let last = path
            .segments
            .iter()
            .any(|part| part == "handlers" || part == "routes" || part == "Routes");
        (operator && path.segments[0] == "crate" && last).then(|| {
            rule.finding(
                &source.path,
                path.line,
                path.text(),
                "use the resource's model and store",
            )
        })
    })
}

/// Folders of the server that keep something in tables: those with a `store.rs`, but for the gate and the operator's.
fn resources(tree: &Tree) -> BTreeSet<&str> {
    let stores = tree
        .sources
        .iter()
        .filter(|source| source.file_name() == "store.rs");
    let stores = stores.filter(|source| !OPERATOR.iter().any(|folder| source.is_in(folder)));
    stores
        .filter_map(room_of)
        .filter(|room| *room != "gate")
        .collect()
}

/// `partners` for `server/src/partners/store.rs`.
fn room_of(source: &Source) -> Option<&str> {
    let inside = source.path.strip_prefix(SERVER)?.strip_prefix('/')?;
    inside.split_once('/').map(|(room, _)| room)
}

/// `partners` for `crate::partners::…`.
fn named_room(path: &PathUse) -> Option<&str> {
    (path.segments[0] == "crate").then(|| path.segments.get(1).map(String::as_str))?
}

fn each_path(tree: &Tree, check: impl Fn(&Source, &PathUse) -> Option<Finding>) -> Vec<Finding> {
    let server = tree.sources.iter().filter(|source| source.is_in(SERVER));
    server
        .flat_map(|source| {
            source
                .code_paths()
                .filter_map(|path| check(source, path))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::findings;

    const STORES: [(&str, &str); 2] = [
        ("server/src/partners/store.rs", ""),
        ("server/src/history/store.rs", ""),
    ];

    fn with(path: &'static str, text: &'static str) -> Vec<(&'static str, &'static str)> {
        let mut files = STORES.to_vec();
        files.push((path, text));
        files
    }

    #[test]
    fn contract_that_names_the_server_is_found() {
        let text = "use crate::contract::types::Scope;\nuse super::super::gate::Caller;";
        assert_eq!(
            findings("contract-alone", &[("server/src/contract/body.rs", text)]),
            ["server/src/contract/body.rs:2: crate::gate::Caller"]
        );
        let clean = "use crate::contract::types::Scope; use super::body; use serde::Deserialize;";
        assert!(findings("contract-alone", &[("server/src/contract/body.rs", clean)]).is_empty());
    }

    #[test]
    fn resource_that_climbs_into_another_is_found() {
        let climbs = with(
            "server/src/partners/handlers.rs",
            "use crate::history::store::record;",
        );
        assert_eq!(
            findings("resources-meet-at-the-door", &climbs),
            ["server/src/partners/handlers.rs:1: crate::history::store::record"]
        );
        let operator = with(
            "server/src/cli/keys.rs",
            "use crate::history::store::record;",
        );
        assert!(findings("resources-meet-at-the-door", &operator).is_empty());
        let text = "use super::store; use crate::{history::record, partners::model::Partner};";
        assert!(
            findings(
                "resources-meet-at-the-door",
                &with("server/src/partners/handlers.rs", text)
            )
            .is_empty()
        );
    }

    #[test]
    fn gate_that_sees_a_resource_is_found() {
        let sees = with(
            "server/src/gate/key.rs",
            "fn f(_: &crate::partners::Partner) {}",
        );
        assert_eq!(
            findings("gate-sees-no-resource", &sees),
            ["server/src/gate/key.rs:1: crate::partners::Partner"]
        );
        let clean = with(
            "server/src/gate/key.rs",
            "use crate::contract::types::Scope;",
        );
        assert!(findings("gate-sees-no-resource", &clean).is_empty());
    }

    #[test]
    fn command_that_calls_a_handler_is_found() {
        let calls = [("server/src/cli/keys.rs", "use crate::partners::handlers;")];
        assert_eq!(
            findings("operator-never-routes", &calls),
            ["server/src/cli/keys.rs:1: crate::partners::handlers"]
        );
        let clean = [("server/src/cli/keys.rs", "use crate::{app, keys::store};")];
        assert!(findings("operator-never-routes", &clean).is_empty());
    }
}
