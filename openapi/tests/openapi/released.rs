//! Released documents never change, and are ordered by their versions.

use std::{fs, path::Path};

use openapi_document::{released_documents, released_name, released_versions};

#[test]
fn released_versions_are_read_from_file_names() {
    let folder = tempfile::tempdir().unwrap();
    for (version, text) in [("2026-05-20", "b"), ("2025-01-01", "a"), ("2026-05-20", "c")] {
        fs::write(folder.path().join(released_name(version, text.as_bytes())), text).unwrap();
    }
    assert_eq!(released_versions(folder.path()).unwrap(), ["2025-01-01", "2026-05-20"]);
    assert!(released_versions(&folder.path().join("absent")).unwrap().is_empty());
}

#[test]
fn released_documents_are_in_the_order_of_their_versions() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["1.10.0", "1.9.0", "1.9.0-rc.1"] {
        fs::write(folder.path().join(released_name(version, b"text")), "text").unwrap();
    }
    let documents = released_documents(folder.path()).unwrap();
    let versions: Vec<&str> = documents.iter().map(|(version, _)| version.as_str()).collect();
    assert_eq!(versions, ["1.9.0", "1.9.0-rc.1", "1.10.0"]);
}

#[test]
fn changed_released_document_is_reported_with_its_fix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(released_name("2026-05-20", b"as released"));
    fs::write(&path, "changed").unwrap();
    let error = released_versions(folder.path()).unwrap_err().to_string();
    assert!(error.contains("never changes") && error.contains("restore the file"), "{error}");
}

#[test]
fn our_released_documents_are_unchanged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("released");
    assert!(!released_versions(&folder).unwrap().is_empty());
}
