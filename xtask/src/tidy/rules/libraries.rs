//! Where the framework, SQL and the clock may stand in the server.
//!
//! It refuses to look at tests: they may do whatever proves the claim.

use super::Rule;
use crate::tidy::{finding::Finding, paths::PathUse, source::Source, tree::Tree};

const SERVER: &str = "server/src";
const FRAMEWORK: [&str; 2] = ["poem", "poem_openapi"];
const FRAMEWORK_ROOMS: [&str; 3] = ["server/src/contract", "server/src/gate", "server/src/http"];
/// Serves PDFs to links, outside the API and its contract.
const DOWNLOADS: &str = "server/src/statements/links/download.rs";
/// Contract types have it in their fields, so whoever builds them must name it.
const FIELD_STATE: &str = "poem_openapi::types::MaybeUndefined";
/// What only a statement needs; pools, connections and errors may be named anywhere.
const STATEMENTS: [&str; 4] = [
    "sqlx::AssertSqlSafe",
    "sqlx::QueryBuilder",
    "sqlx::raw_sql",
    "sqlx::query",
];
const PURE_FILES: [&str; 2] = ["fingerprint.rs", "model.rs"];
/// From what is printed to where it stands on the page.
const PURE_ROOMS: [&str; 2] = [
    "server/src/statements/document/layout",
    "server/src/statements/document/text",
];
const IMPURE_LIBRARIES: [&str; 7] = [
    "hyper",
    "poem",
    "poem_openapi",
    "printpdf",
    "reqwest",
    "sqlx",
    "tokio",
];
const CLOCKS: [&str; 5] = ["Instant", "Local::now", "SystemTime", "Utc::now", "elapsed"];

pub(super) fn framework(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    each_path(tree, |source, path| {
        let allowed = FRAMEWORK_ROOMS.iter().any(|room| source.is_in(room))
            || source.path == DOWNLOADS
            || source.file_name() == "handlers.rs" && path.text() == FIELD_STATE;
        let framework = FRAMEWORK.contains(&path.segments[0].as_str());
        (framework && !allowed).then(|| {
            rule.finding(
                &source.path,
                path.line,
                path.text(),
                "take and return contract types; what speaks HTTP belongs into gate/ or http/",
            )
        })
    })
}

pub(super) fn sql(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    each_path(tree, |source, path| {
        let allowed = source.file_name() == "store.rs";
        let text = path.segments.join("::");
        let statement = STATEMENTS
            .iter()
            .any(|statement| text.starts_with(statement))
            || path.is_macro && text.starts_with("query");
        (statement && !allowed).then(|| {
            rule.finding(
                &source.path,
                path.line,
                path.text(),
                "put the statement into the store.rs of its resource",
            )
        })
    })
}

pub(super) fn pure_rules(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    each_path(tree, |source, path| {
        let text = path.segments.join("::");
        let impure = IMPURE_LIBRARIES.contains(&path.segments[0].as_str())
            || text.starts_with("std::fs")
            || CLOCKS
                .iter()
                .any(|clock| text.ends_with(&format!("::{clock}")) || text == *clock);
        let pure = PURE_FILES.contains(&source.file_name())
            || PURE_ROOMS.iter().any(|room| source.is_in(room));
        (pure && impure).then(|| {
            rule.finding(
                &source.path,
                path.line,
                path.text(),
                "let the handler or the store fetch the value and pass it in",
            )
        })
    })
}

fn each_path(tree: &Tree, check: impl Fn(&Source, &PathUse) -> Option<Finding>) -> Vec<Finding> {
    let server = tree
        .sources
        .iter()
        .filter(|source| source.is_in(SERVER) && !source.is_generated());
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

    #[test]
    fn framework_in_a_handler_is_found() {
        let text = "use poem_openapi::types::MaybeUndefined;\nuse poem::web::Data;";
        assert_eq!(
            findings("framework", &[("server/src/partners/handlers.rs", text)]),
            ["server/src/partners/handlers.rs:2: poem::web::Data"]
        );
        for allowed in ["server/src/gate/headers.rs", super::DOWNLOADS] {
            assert!(
                findings("framework", &[(allowed, text)]).is_empty(),
                "{allowed}"
            );
        }
    }

    #[test]
    fn statement_outside_a_store_is_found() {
        let text = "async fn f() {\n sqlx::query!(\"SELECT 1\");\n query_as!(A, \"SELECT 1\");\n sqlx::query_scalar(\"\"); }";
        assert_eq!(
            findings("sql", &[("server/src/partners/handlers.rs", text)]),
            [
                "server/src/partners/handlers.rs:2: sqlx::query!",
                "server/src/partners/handlers.rs:3: query_as!",
                "server/src/partners/handlers.rs:4: sqlx::query_scalar",
            ]
        );
        let clean = "fn f(pool: sqlx::PgPool) -> Result<(), sqlx::Error> {}";
        let files = [
            ("server/src/partners/store.rs", text),
            ("server/src/app.rs", clean),
        ];
        assert!(findings("sql", &files).is_empty());
    }

    #[test]
    fn clock_and_database_in_a_model_are_found() {
        let text = "use std::time::{Duration, Instant};\nfn f() { chrono::Utc::now(); }\nfn g(_: sqlx::PgPool) {}";
        assert_eq!(
            findings("pure-rules", &[("server/src/keys/model.rs", text)]),
            [
                "server/src/keys/model.rs:1: std::time::Instant",
                "server/src/keys/model.rs:2: chrono::Utc::now",
                "server/src/keys/model.rs:3: sqlx::PgPool",
            ]
        );
        let drawn = "use printpdf::Op;";
        let page = "server/src/statements/document/layout/page.rs";
        assert_eq!(findings("pure-rules", &[(page, drawn)]).len(), 1);
        let clean = "use std::time::Duration; use chrono::{DateTime, Utc}; #[cfg(test)] mod tests { fn f() { Utc::now(); } }";
        assert!(findings("pure-rules", &[("server/src/keys/model.rs", clean)]).is_empty());
    }
}
