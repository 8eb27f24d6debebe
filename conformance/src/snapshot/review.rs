//! Writes new texts through insta, for `cargo insta review`.

use std::{panic, path::Path};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");

/// Writes a text beside the accepted one, if any.
pub(super) fn write(name: &str, description: &str, text: &str) -> Result<(), String> {
    let (operation, file) = name.split_once('/').unwrap_or(("", name));
    let folder = Path::new(FOLDER).join(operation);
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    // insta writes the file first, and then panics because it differs.
    let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        settings.bind(|| insta::assert_snapshot!(file, text));
    }));
    panic::set_hook(hook);
    let is_waiting = folder.join(format!("{file}.snap.new")).exists();
    if outcome.is_ok() || is_waiting {
        return Ok(());
    }
    Err(format!(
        "insta did not write {}: set INSTA_UPDATE=new to review what is new, or \
         INSTA_UPDATE=always to accept it",
        folder.join(format!("{file}.snap.new")).display()
    ))
}
