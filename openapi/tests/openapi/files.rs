//! Documents in several files, and overlays. Each text of `tests/data/files` has its files below
//! lines `--- NAME`; the last one is what is found: the document as one file with the places of
//! the operations and components, or the errors.

use std::{collections::BTreeSet, fs, path::PathBuf};

use openapi_document::{Document, DocumentError};
use serde_json::Value;

use crate::support::{Expected, data};

#[test]
fn documents_in_several_files_are_read_as_their_texts_say() {
    let mut expected = Expected::default();
    for entry in fs::read_dir(data("files")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (files, _) = text.split_once("--- found\n").expect("the last part is what is found");
        let folder = tempfile::tempdir().unwrap();
        let mut overlays = Vec::new();
        for file in files.split("--- ").skip(1) {
            let (name, text) = file.split_once('\n').unwrap();
            let path = folder.path().join("folder").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            overlays.extend(name.starts_with("overlay").then_some(path));
        }
        let root = folder.path().join("folder/api.yaml");
        let found = found(root, &overlays).unwrap_or_else(|error| error.to_string() + "\n");
        let found = found.replace(&format!("{}/folder/", folder.path().display()), "");
        expected.check(path, &format!("{files}--- found\n{found}"));
    }
    expected.end();
}

fn found(root: PathBuf, overlays: &[PathBuf]) -> Result<String, DocumentError> {
    let document = Document::load_with(&root, overlays)?;
    let bundle = Document::bundle(&root, overlays)?;
    let one = Document::parse("bundle.yaml", &bundle)?;
    assert_eq!(one.value(), document.value(), "the bundle is another document:\n{bundle}");
    let mut found: String = bundle.lines().skip(3).map(|line| format!("{line}\n")).collect();
    let places: BTreeSet<String> =
        document.nodes().iter().map(|node| node.pointer.clone()).collect();
    for pointer in places.iter().filter(|pointer| pointer.split('/').count() == 4) {
        found += &format!("# {pointer}: {}\n", document.place(pointer));
    }
    Ok(found)
}

#[cfg(unix)]
#[test]
fn link_out_of_the_folder_of_the_document_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("secret.yaml"), "type: string\n").unwrap();
    let link = folder.path().join("folder/link.yaml");
    std::os::unix::fs::symlink(folder.path().join("secret.yaml"), link).unwrap();
    let root = folder.path().join("folder/api.yaml");
    let text = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents: { \
                schemas: { A: { $ref: link.yaml } } }\n";
    fs::write(&root, text).unwrap();
    let error = Document::load(&root).unwrap_err().to_string();
    assert!(error.contains("`link.yaml` is outside of the folder"), "{error}");
}

#[test]
fn bundle_of_one_file_is_that_file() {
    let path = data("../../api.yaml");
    assert_eq!(Document::bundle(&path, &[]).unwrap(), fs::read_to_string(path).unwrap());
}

#[test]
fn texts_are_the_same_after_they_were_written_as_yaml() {
    for text in [
        "",
        " ",
        "no",
        "12",
        "0x1F",
        "1e3",
        "~",
        "null",
        "2026-01-01",
        "a: b",
        "a #b",
        "- a",
        "&a",
        "'a'",
        "\"",
        "\\ud83d",
        "a\tb",
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n",
        " a\nb",
        "\na",
        "a \nb",
        "\u{feff}a\nb",
        "\u{1f44d}",
        "=",
        "true",
        "=1",
        "@a",
        "`a`",
        "%a",
        "{a}",
        "/a/{b}",
        "a,b",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (root, overlay) = (folder.path().join("api.yaml"), folder.path().join("overlay.yaml"));
        fs::write(&root, "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\n").unwrap();
        let extension = serde_json::json!({ text: [[text, { "a": text }], [], {}] });
        let action = serde_json::json!([{ "target": "$", "update": { "x-a": extension } }]);
        fs::write(&overlay, format!("overlay: 1.0.0\nactions: {action}\n")).unwrap();
        let bundle = Document::bundle(&root, &[overlay]).unwrap();
        let read: Value = Document::parse("b.yaml", &bundle).unwrap().value().clone();
        assert_eq!(read["x-a"], extension, "{bundle}");
    }
}
