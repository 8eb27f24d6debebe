//! Whether the tests exist that prove an element.

use std::{collections::BTreeMap, fs, path::Path};

use super::{element::Use, ledger::fits};

/// The files of a project, read once.
pub(super) struct Proofs<'p> {
    root: &'p Path,
    found: BTreeMap<String, bool>,
}

impl<'p> Proofs<'p> {
    pub(super) fn new(root: &'p Path) -> Self {
        Self { root, found: BTreeMap::new() }
    }

    /// Whether all of these exist for this element, used here.
    pub(super) fn exist(&mut self, by: &[String], used: &Use) -> bool {
        by.iter().all(|proof| {
            let proof =
                proof.replace("{operation}", &used.operation).replace("{status}", &used.status);
            let root = self.root;
            *self.found.entry(proof).or_insert_with_key(|proof| exists(root, proof))
        })
    }
}

/// Those that name nothing; with a placeholder, whether they do depends on the element.
pub(super) fn lacking<'b>(root: &Path, by: &'b [String]) -> Vec<&'b String> {
    by.iter().filter(|proof| !proof.contains('{') && !exists(root, proof)).collect()
}

fn exists(root: &Path, proof: &str) -> bool {
    let (file, name) = match proof.split_once("::") {
        Some((file, name)) => (file, Some(name)),
        None => (proof, None),
    };
    let Some(name) = name else { return is_file(root, file) };
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    let declarations = text.split("fn ").skip(1);
    declarations
        .into_iter()
        .any(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<'])))
}

/// The last part of the path may have stars.
fn is_file(root: &Path, file: &str) -> bool {
    let path = root.join(file);
    let (Some(folder), Some(pattern)) = (path.parent(), path.file_name()) else { return false };
    let pattern = pattern.to_string_lossy();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| fits(&pattern, &entry.file_name().to_string_lossy()))
}
