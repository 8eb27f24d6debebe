//! Writes new texts for `cargo insta review`.

use std::{fs, path::Path};

use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");

/// Writes a text beside the accepted one, if any.
pub(super) fn write(name: &str, description: &str, text: &str) -> Result<(), String> {
    let path = Path::new(FOLDER).join(format!("{name}.snap.new"));
    let description = Value::from(description);
    let head = format!("source: {}\ndescription: {description}", file!());
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(&path, format!("---\n{head}\n---\n{text}\n")))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
