//! Schemas that are published beside the code: one way to hold them current, and the same to write them anew.
//!
//! It refuses to write unasked: a test that mends what it judges proves nothing.

use std::{fs, path::Path};

use serde_json::Value;

/// How they are written anew, all at once.
const COMMAND: &str =
    "WRITE_SCHEMAS=1 cargo test -p payout-conformance published_schema_is_current";

/// That the file in this package's folder is this schema; with `WRITE_SCHEMAS` set, it is written first.
pub(crate) fn is_current(file: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = format!("{schema:#}\n");
    if std::env::var_os("WRITE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == text,
        "conformance/{file} is stale; this writes it anew: {COMMAND}"
    );
}
