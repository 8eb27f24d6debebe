//! What each part of the server may import.

use super::{
    Check::Import,
    Rule,
    paths::PathUse,
    tree::{Source, Tree},
};

pub(super) const SERVER: &str = "server/src";
/// Statements as PDFs: data in, bytes out.
pub(super) const STATEMENT: &str = "server/statement/src";
/// Operators' commands, which work on models and stores directly.
const OPERATOR: &str = "server/src/cli";
/// Modules of a resource that only the resource itself imports.
const PRIVATE_MODULES: [&str; 4] = ["handlers", "model", "store", "layout"];

const FRAMEWORK_FOLDERS: [&str; 7] = [
    "server/src/affiliate/redirect",
    "server/src/contract",
    "server/src/contract_tests",
    "server/src/gate",
    "server/src/http",
    "server/src/portal/site",
    "server/src/telemetry",
];
/// `assembly.rs` assembles gate, routes and service; `download.rs` serves PDFs outside of the API.
const FRAMEWORK_FILES: [&str; 2] =
    ["server/src/assembly.rs", "server/src/statements/links/download.rs"];

/// Opens the transaction that is bound to one organisation.
const TENANT: &str = "server/src/postgres/tenant.rs";
/// Pools, connections and errors may be named anywhere.
const STATEMENTS: [&str; 4] =
    ["sqlx::AssertSqlSafe", "sqlx::QueryBuilder", "sqlx::raw_sql", "sqlx::query"];

const PURE_FILES: [&str; 2] = ["fingerprint.rs", "model.rs"];
const PURE_FOLDERS: [&str; 2] = ["server/statement/src/layout", "server/statement/src/text"];
const IMPURE_CRATES: [&str; 7] =
    ["hyper", "poem", "poem_openapi", "printpdf", "reqwest", "sqlx", "tokio"];
const CLOCKS: [&str; 5] = ["Instant", "Local::now", "SystemTime", "Utc::now", "elapsed"];

pub(super) const IMPORTS: [Rule; 6] = [
    Rule {
        id: "resources",
        why: "a resource imports another one through its mod.rs, so that its modules can change",
        check: Import("re-export it in the resource's mod.rs", |tree, source, path| {
            let (own, other) = (folder(source), module(path));
            let part = path.segments.get(2).map_or("", String::as_str);
            is_resource(tree, own)
                && is_resource(tree, other)
                && own != other
                && PRIVATE_MODULES.contains(&part)
        }),
    },
    Rule {
        id: "gate",
        why: "the gate imports no resource: it treats every operation alike",
        check: Import("let the resource import the gate", |tree, source, path| {
            source.is_in("server/src/gate") && is_resource(tree, module(path))
        }),
    },
    Rule {
        id: "commands",
        why: "commands use models and stores: they have no request",
        check: Import("use the resource's model and store", |_, source, path| {
            let mut parts = path.segments.iter();
            let is_route = parts.any(|part| ["handlers", "routes", "Routes"].contains(&&**part));
            source.is_in(OPERATOR) && module(path).is_some() && is_route
        }),
    },
    Rule {
        id: "framework",
        why: "only contract, gate, http, telemetry, the portal's site and the redirect of links \
              import poem, so handlers are plain functions",
        check: Import("take and return contract types", |_, source, path| {
            let is_allowed = FRAMEWORK_FOLDERS.iter().any(|folder| source.is_in(folder))
                || FRAMEWORK_FILES.contains(&source.path.as_str());
            ["poem", "poem_openapi"].contains(&path.segments[0].as_str()) && !is_allowed
        }),
    },
    Rule {
        id: "sql",
        why: "only store.rs contains SQL, so tenancy can be reviewed in one kind of file",
        check: Import("move the statement into the resource's store.rs", |_, source, path| {
            let text = path.text();
            let is_statement = STATEMENTS.iter().any(|statement| text.starts_with(statement))
                || path.is_macro && text.starts_with("query");
            is_statement && source.file_name() != "store.rs" && source.path != TENANT
        }),
    },
    Rule {
        id: "pure",
        why: "business rules and layout do no input or output and read no clock, so tests need \
              neither",
        check: Import("let the handler or the store pass the value in", |_, source, path| {
            let is_pure = PURE_FILES.contains(&source.file_name())
                || PURE_FOLDERS.iter().any(|folder| source.is_in(folder));
            let text = path.segments.join("::");
            let is_clock = |clock: &&str| {
                text.strip_suffix(clock).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
            };
            let is_clock = CLOCKS.iter().any(is_clock);
            let is_impure = IMPURE_CRATES.contains(&path.segments[0].as_str())
                || text.starts_with("std::fs")
                || is_clock;
            is_pure && is_impure || source.is_in(STATEMENT) && is_clock
        }),
    },
];

/// Whether the server's folder has a `store.rs`; the gate and the operator's commands are no
/// resources.
fn is_resource(tree: &Tree, folder: Option<&str>) -> bool {
    folder.filter(|folder| !["cli", "gate"].contains(folder)).is_some_and(|folder| {
        let folder = format!("{SERVER}/{folder}");
        let mut sources = tree.sources.iter();
        sources.any(|source| source.file_name() == "store.rs" && source.is_in(&folder))
    })
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
