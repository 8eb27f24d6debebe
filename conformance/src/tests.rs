//! Checks that a published schema is current; with `WRITE_SCHEMAS` set, writes it first.

use std::{fs, path::Path};

use serde_json::Value;

/// How to write them all.
const COMMAND: &str =
    "WRITE_SCHEMAS=1 cargo test -p payout-conformance published_schema_is_current";

/// Asserts that the file in this package's folder is this schema.
pub(crate) fn is_current(file: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = format!("{schema:#}\n");
    if std::env::var_os("WRITE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(published == text, "conformance/{file} is stale; to write it: {COMMAND}");
}
