//! Planted imports.

use super::{super::findings, *};

const STORES: [(&str, &str); 2] =
    [("server/src/partners/store.rs", ""), ("server/src/history/store.rs", "")];

/// The findings in a file beside the stores of two resources.
fn found(rule: &str, path: &str, text: &str) -> Vec<String> {
    let files = [STORES[0], STORES[1], (path, text)];
    let rule = IMPORTS.iter().find(|known| known.id == rule).unwrap();
    findings(rule, &files)
}

fn assert_clean(rule: &str, path: &str, text: &str) {
    assert_eq!(found(rule, path, text), [""; 0]);
}

#[test]
fn resource_that_imports_anothers_module_is_found() {
    let handlers = "server/src/partners/handlers.rs";
    let text = "use crate::history::store::record;";
    let expected = ["server/src/partners/handlers.rs:1: crate::history::store::record"];
    assert_eq!(found("resources", handlers, text), expected);
    assert_clean("resources", "server/src/cli/store.rs", text);
    let clean = "use super::store; use crate::{history::record, partners::model::Partner};";
    assert_clean("resources", handlers, clean);
}

#[test]
fn gate_that_imports_a_resource_is_found() {
    let key = "server/src/gate/key.rs";
    let expected = ["server/src/gate/key.rs:1: crate::partners::Partner"];
    assert_eq!(found("gate", key, "fn f(_: &crate::partners::Partner) {}"), expected);
    assert_clean("gate", key, "use crate::contract::types::Scope;");
}

#[test]
fn command_that_calls_a_handler_is_found() {
    let keys = "server/src/cli/keys.rs";
    let expected = ["server/src/cli/keys.rs:1: crate::partners::handlers"];
    assert_eq!(found("commands", keys, "use crate::partners::handlers;"), expected);
    assert_clean("commands", keys, "use crate::{assembly, keys::store};");
}

#[test]
fn framework_in_a_handler_is_found() {
    let text = "use crate::gate::Caller;\nuse poem::web::Data;";
    let expected = ["server/src/partners/handlers.rs:2: poem::web::Data"];
    assert_eq!(found("framework", "server/src/partners/handlers.rs", text), expected);
    assert_clean("framework", "server/src/gate/headers.rs", text);
    assert_clean("framework", FRAMEWORK_FILES[1], text);
}

#[test]
fn statement_outside_a_store_is_found() {
    let text = "async fn f() {\n sqlx::query!(\"SELECT 1\");\n query_as!(A, \"SELECT 1\");\n \
                sqlx::query_scalar(\"\"); }";
    let expected = [
        "server/src/partners/handlers.rs:2: sqlx::query!",
        "server/src/partners/handlers.rs:3: query_as!",
        "server/src/partners/handlers.rs:4: sqlx::query_scalar",
    ];
    assert_eq!(found("sql", "server/src/partners/handlers.rs", text), expected);
    assert_clean("sql", "server/src/keys/store.rs", text);
    assert_clean(
        "sql",
        "server/src/assembly.rs",
        "use sqlx::{PgPool, postgres::PgConnectOptions};",
    );
}

#[test]
fn clock_and_input_in_a_pure_file_are_found() {
    let text = "use std::time::Instant;\nfn f() { chrono::Utc::now(); std::fs::read(a) }";
    let expected = [
        "server/src/keys/model.rs:1: std::time::Instant",
        "server/src/keys/model.rs:2: chrono::Utc::now",
        "server/src/keys/model.rs:2: std::fs::read",
    ];
    assert_eq!(found("pure", "server/src/keys/model.rs", text), expected);
    let page = "server/statement/src/layout/page.rs";
    assert_eq!(found("pure", page, "use printpdf::Mm;").len(), 1);
    let pen = "server/statement/src/render/pen.rs";
    assert_eq!(found("pure", pen, "use std::time::Instant; use printpdf::Mm;").len(), 1);
    let clean = "use std::time::Duration; use chrono::{DateTime, Utc}; \
                 #[cfg(test)] mod tests { fn f() { Utc::now(); } }";
    assert_clean("pure", "server/src/keys/model.rs", clean);
}
