//! What each part of the server may import.

use std::collections::BTreeSet;

use super::{
    Finding, Rule,
    paths::PathUse,
    tree::{Source, Tree},
};

const SERVER: &str = "server/src";
/// Folders of operators' commands, which work on models and stores directly.
const OPERATOR: [&str; 1] = ["server/src/cli"];
/// Modules of a resource that only the resource itself imports.
const PRIVATE_MODULES: [&str; 4] = ["handlers", "model", "store", "layout"];

const FRAMEWORK_FOLDERS: [&str; 3] = ["server/src/contract", "server/src/gate", "server/src/http"];
/// `app.rs` assembles gate, routes and service; `download.rs` serves PDFs outside of the API.
const FRAMEWORK_FILES: [&str; 2] = ["server/src/app.rs", "server/src/statements/links/download.rs"];
/// A field type of contract types, which handlers build.
const FIELD_STATE: &str = "poem_openapi::types::MaybeUndefined";

/// Opens the transaction that is bound to one organisation.
const TENANT: &str = "server/src/tenant.rs";
/// Pools, connections and errors may be named anywhere.
const STATEMENTS: [&str; 4] =
    ["sqlx::AssertSqlSafe", "sqlx::QueryBuilder", "sqlx::raw_sql", "sqlx::query"];

const PURE_FILES: [&str; 2] = ["fingerprint.rs", "model.rs"];
const PURE_FOLDERS: [&str; 2] =
    ["server/src/statements/document/layout", "server/src/statements/document/text"];
const IMPURE_CRATES: [&str; 7] =
    ["hyper", "poem", "poem_openapi", "printpdf", "reqwest", "sqlx", "tokio"];
const CLOCKS: [&str; 5] = ["Instant", "Local::now", "SystemTime", "Utc::now", "elapsed"];

pub(super) const CONTRACT: Rule = Rule {
    id: "contract",
    why: "server/src/contract imports nothing else of the server, so it can be generated from the \
          document alone",
    check: |tree| {
        forbid(tree, "use an associated type of `traits::Api`", |source, path| {
            source.is_in("server/src/contract") && !matches!(module(path), None | Some("contract"))
        })
    },
};

pub(super) const RESOURCES: Rule = Rule {
    id: "resources",
    why: "a resource imports another one through its mod.rs, so that its modules can change",
    check: |tree| {
        let resources = resources(tree);
        forbid(tree, "re-export it in the resource's mod.rs", |source, path| {
            let own = folder(source).filter(|own| resources.contains(own));
            let other = module(path).filter(|other| resources.contains(other));
            let part = path.segments.get(2).map_or("", String::as_str);
            own.is_some() && other.is_some() && own != other && PRIVATE_MODULES.contains(&part)
        })
    },
};

pub(super) const GATE: Rule = Rule {
    id: "gate",
    why: "the gate imports no resource: it treats every operation alike",
    check: |tree| {
        let resources = resources(tree);
        forbid(tree, "let the resource import the gate", |source, path| {
            let is_resource = module(path).is_some_and(|module| resources.contains(module));
            source.is_in("server/src/gate") && is_resource
        })
    },
};

pub(super) const COMMANDS: Rule = Rule {
    id: "commands",
    why: "commands use models and stores: they have no request",
    check: |tree| {
        forbid(tree, "use the resource's model and store", |source, path| {
            let is_route =
                |part: &String| ["handlers", "routes", "Routes"].contains(&part.as_str());
            is_operator(source) && module(path).is_some() && path.segments.iter().any(is_route)
        })
    },
};

pub(super) const FRAMEWORK: Rule = Rule {
    id: "framework",
    why: "only contract, gate and http import poem, so handlers are plain functions",
    check: |tree| {
        forbid(tree, "take and return contract types", |source, path| {
            let is_allowed = FRAMEWORK_FOLDERS.iter().any(|folder| source.is_in(folder))
                || FRAMEWORK_FILES.contains(&source.path.as_str())
                || source.file_name() == "handlers.rs" && path.text() == FIELD_STATE;
            ["poem", "poem_openapi"].contains(&path.segments[0].as_str()) && !is_allowed
        })
    },
};

pub(super) const SQL: Rule = Rule {
    id: "sql",
    why: "only store.rs contains SQL, so tenancy can be reviewed in one kind of file",
    check: |tree| {
        forbid(tree, "move the statement into the resource's store.rs", |source, path| {
            let text = path.segments.join("::");
            let is_statement = STATEMENTS.iter().any(|statement| text.starts_with(statement))
                || path.is_macro && text.starts_with("query");
            is_statement && source.file_name() != "store.rs" && source.path != TENANT
        })
    },
};

pub(super) const PURE: Rule = Rule {
    id: "pure",
    why: "business rules and layout do no input or output and read no clock, so tests need neither",
    check: |tree| {
        forbid(tree, "let the handler or the store pass the value in", |source, path| {
            let is_pure = PURE_FILES.contains(&source.file_name())
                || PURE_FOLDERS.iter().any(|folder| source.is_in(folder));
            let text = path.segments.join("::");
            let is_impure = IMPURE_CRATES.contains(&path.segments[0].as_str())
                || text.starts_with("std::fs")
                || CLOCKS
                    .iter()
                    .any(|clock| text == *clock || text.ends_with(&format!("::{clock}")));
            is_pure && is_impure
        })
    },
};

/// Reports the paths in the server for which `is_forbidden` holds.
fn forbid(
    tree: &Tree,
    help: &str,
    is_forbidden: impl Fn(&Source, &PathUse) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources.iter().filter(|source| source.is_in(SERVER)) {
        let forbidden = source.paths.iter().filter(|path| is_forbidden(source, path));
        findings
            .extend(forbidden.map(|path| Finding::new(&source.path, path.line, path.text(), help)));
    }
    findings
}

/// Folders of the server with a `store.rs`, but for the gate and the operator's.
fn resources(tree: &Tree) -> BTreeSet<&str> {
    let sources = tree.sources.iter();
    let stores = sources.filter(|source| source.file_name() == "store.rs" && !is_operator(source));
    stores.filter_map(folder).filter(|folder| *folder != "gate").collect()
}

fn is_operator(source: &Source) -> bool {
    OPERATOR.iter().any(|folder| source.is_in(folder))
}

/// `partners` for `server/src/partners/store.rs`.
fn folder(source: &Source) -> Option<&str> {
    let inside = source.path.strip_prefix(SERVER)?.strip_prefix('/')?;
    inside.split_once('/').map(|(folder, _)| folder)
}

/// `partners` for `crate::partners::…`.
fn module(path: &PathUse) -> Option<&str> {
    let module = path.segments.get(1).map(String::as_str);
    module.filter(|_| path.segments[0] == "crate")
}

#[cfg(test)]
mod tests;
