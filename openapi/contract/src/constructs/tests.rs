//! The table is what the parts make of the rows of `tests/data/constructs.yaml`.

use std::{env, fs, panic, path::Path};

use openapi_document::{Direction, Document};
use serde_json::{Value, json};

use super::{PAGE, UNREAD, table, unread};
use crate::{
    breaking::changes,
    codegen::{ClientConfig, Config, coverage, format::UNFORMATTED, generate},
    lint,
};

const DATA: &str = include_str!("../../tests/data/constructs.yaml");
const HEAD: &str = "| construct | in a document | server | client | breaking | lint | validator |\n\
                    |---|---|---|---|---|---|---|\n";

/// A row: the documents without and with its construct.
struct Row {
    construct: String,
    found_by: String,
    without: Document,
    with: Document,
    wrong: Option<Value>,
}

fn rows() -> Vec<Row> {
    let document = Document::parse("constructs.yaml", DATA).unwrap();
    let rows = document.value()["x-constructs"].as_array().unwrap().iter();
    let row = |row: &Value| {
        let found_by = row["in"].as_str().unwrap().to_owned();
        let mut without = document.value().clone();
        without.as_object_mut().unwrap().shift_remove("x-constructs");
        let schemas =
            ["Request", "Reply"].map(|it| format!("/components/schemas/{it}/properties/p"));
        let targets: Vec<String> = match found_by.split('.').next() {
            Some("Component") => {
                let named = json!({ "$ref": "#/components/schemas/Named" });
                schemas.iter().for_each(|at| *without.pointer_mut(at).unwrap() = named.clone());
                without["components"]["schemas"]["Named"] = json!({});
                vec!["/components/schemas/Named".to_owned()]
            }
            Some("Element" | "Property" | "Schema") => schemas.to_vec(),
            Some("Document") => vec![String::new()],
            _ => vec!["/paths/~1a/post".to_owned()],
        };
        let merged = |mut value: Value, patch: &Value| {
            for target in &targets {
                merge(value.pointer_mut(target).unwrap(), patch);
            }
            value
        };
        let without = merged(without, row.get("without").unwrap_or(&json!({})));
        let with = merged(without.clone(), &row["with"]);
        let parsed = |value: Value| Document::parse("a.json", &value.to_string()).unwrap();
        let construct = row["construct"].as_str().unwrap().to_owned();
        let (without, with) = (parsed(without), parsed(with));
        Row { construct, found_by, without, with, wrong: row.get("wrong").cloned() }
    };
    rows.map(row).collect()
}

/// Merges by RFC 7396.
fn merge(value: &mut Value, patch: &Value) {
    match (value, patch) {
        (Value::Object(members), Value::Object(patch)) => {
            for (name, patch) in patch {
                match patch {
                    Value::Null => drop(members.shift_remove(name)),
                    patch => merge(members.entry(name).or_insert(Value::Null), patch),
                }
            }
        }
        (value, patch) => *value = patch.clone(),
    }
}

#[test]
fn table_is_what_the_parts_make_of_each_construct() {
    UNFORMATTED.set(true);
    let lines: Vec<String> = rows().iter().map(line).collect();
    let (head, _) = PAGE.split_once(HEAD).expect("the page has a table");
    let page = format!("{head}{HEAD}{}", lines.concat());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("constructs.md");
    if page != PAGE && env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(path, &page).unwrap();
    }
    let difference = similar::TextDiff::from_lines(PAGE, &page).unified_diff().to_string();
    assert!(page == PAGE, "{difference}\nwhere this is right: WRITE_EXPECTED=1 cargo test");
}

fn line(row: &Row) -> String {
    let client = ClientConfig { file: "client.rs".to_owned(), ..ClientConfig::default() };
    let for_client = Config { server: None, client: Some(client), ..Config::default() };
    let (server, client) = (generated(row, &Config::default()), generated(row, &for_client));
    let (breaking, linted) = (breaking(row), linted(row));
    let cells = [server, client, &breaking, &linted, validated(row)].join(" | ");
    format!("| {} | `{}` | {cells} |\n", row.construct, row.found_by)
}

fn generated(row: &Row, config: &Config) -> &'static str {
    let code = |document: &Document| {
        let covered = coverage(document, config).ok().filter(|it| it.left_out.is_empty())?;
        let files = || generate(document, &[], config).ok();
        let files = panic::catch_unwind(panic::AssertUnwindSafe(files)).ok()??;
        let text: String = files.into_iter().map(|file| file.text).collect();
        let code = text.lines().filter(|line| !line.trim().starts_with("//"));
        Some((code.collect::<Vec<_>>().join("\n"), covered.generated.len()))
    };
    match (code(&row.without), code(&row.with)) {
        (_, None) => "rejected",
        (without, with) if without == with => UNREAD,
        _ => "read",
    }
}

fn breaking(row: &Row) -> String {
    let both = [changes(&row.without, &row.with), changes(&row.with, &row.without)];
    let seen = both.iter().flatten().filter(|change| !change.hidden);
    seen.map(|change| change.level).min().map_or(UNREAD.to_owned(), |level| level.to_string())
}

fn linted(row: &Row) -> String {
    let rules = |document| {
        let found = lint::lint(document, &Config::default(), &lint::Severities::new());
        let mut rules: Vec<_> = found.into_iter().map(|finding| finding.rule).collect();
        rules.dedup();
        rules
    };
    let before = rules(&row.without);
    let new = rules(&row.with).into_iter().filter(|rule| !before.contains(rule));
    new.map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ")
}

fn validated(row: &Row) -> &'static str {
    let Some(wrong) = &row.wrong else { return "" };
    let is_valid = |document: &Document| {
        let at = "/components/schemas/Request/properties/p";
        document.validator(at, Direction::Request).unwrap().is_valid(wrong)
    };
    assert!(is_valid(&row.without), "{}: {wrong} is wrong without it", row.construct);
    if is_valid(&row.with) { UNREAD } else { "checked" }
}

#[test]
fn each_line_is_found_in_the_document_that_has_its_construct() {
    for row in rows() {
        let line = table().find(|line| line.name == row.construct).unwrap();
        let is_unread = [line.server, line.client].contains(&UNREAD);
        let found = |document| unread(document).iter().any(|it| it.construct.name == row.construct);
        assert_eq!(found(&row.with), is_unread, "{line:?}");
    }
}
