//! Documents that are rejected, each diagnostic with its place and a fix: whole documents, whose
//! last lines are the reasons why an operation is left out, and lists of changes of one document.

use std::{env, fs};

use super::{config, data, document, files};
use crate::codegen::{coverage, read};

#[test]
fn rejected_documents_are_reported_as_their_files_say() {
    let mut wrong = Vec::new();
    for path in files("rejected") {
        let text = fs::read_to_string(&path).unwrap();
        let found = match path.extension().is_some_and(|extension| extension == "txt") {
            true => of_changes(&text),
            false => of_document(&text),
        };
        if found != text {
            if env::var_os("WRITE_EXPECTED").is_some() {
                fs::write(&path, &found).unwrap();
            }
            wrong.push(format!("{}\n{}", path.display(), difference(&text, &found)));
        }
    }
    let mend = "where this is right: WRITE_EXPECTED=1 cargo test --workspace --lib codegen";
    assert!(wrong.is_empty(), "{}\n{mend}", wrong.join("\n"));
}

/// Returns the document with the reasons why its first operation is left out as comments.
fn of_document(text: &str) -> String {
    let plain = text.lines().filter(|line| !line.starts_with("# ") && *line != "#");
    let mut text: String = plain.map(|line| format!("{line}\n")).collect();
    let found = coverage(&document(&text), &config()).unwrap();
    assert_eq!(found.generated, ["listLoans"], "{text}");
    let [(operation, reasons)] = &found.left_out[..] else { panic!("{:?}", found.left_out) };
    assert_eq!(operation, "createLoan");
    for reason in reasons {
        text.push_str(&format!("# {reason}\n"));
    }
    text
}

/// Returns a list of changes with what is found in each changed document. Its first line names the
/// document; of a change, `-` is before what is replaced, `+` before its replacement.
fn of_changes(text: &str) -> String {
    let (name, _) = text.split_once('\n').expect("the first line names the document");
    let original = data(&format!("generated/{name}"));
    let original: String = original
        .lines()
        .take_while(|line| !line.starts_with('#'))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let mut lines = Vec::new();
    let mut changed = original.clone();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('>')).chain([""]) {
        let is_end = line.is_empty() && !from.is_empty();
        if is_end || (line.starts_with('-') && !to.is_empty()) {
            changed = replaced(&changed, &from, &to);
            (from, to) = (Vec::new(), Vec::new());
        }
        if is_end {
            lines.extend(diagnostics(&changed).into_iter().map(|found| format!("> {found}")));
            changed.clone_from(&original);
        }
        match line.split_at_checked(2) {
            Some(("- ", line)) => from.push(line),
            Some(("+ ", line)) => to.push(line),
            _ => {}
        }
        lines.push(line.to_owned());
    }
    lines.pop();
    lines.join("\n") + "\n"
}

/// Replaces a text that occurs exactly once; without replacement, with its line break.
fn replaced(document: &str, from: &[&str], to: &[&str]) -> String {
    let mut from = from.join("\n");
    assert_eq!(document.matches(&from).count(), 1, "{from}");
    if to.is_empty() {
        from.push('\n');
    }
    document.replace(&from, &to.join("\n"))
}

fn diagnostics(text: &str) -> Vec<String> {
    match read::read(&document(text), &["1".to_owned()], &config()) {
        Ok(_) => panic!("the document must be rejected:\n{text}"),
        Err(found) => {
            assert!(found.iter().all(|diagnostic| diagnostic.help.is_some()), "{found:#?}");
            found.into_iter().map(|diagnostic| diagnostic.to_string()).collect()
        }
    }
}

pub(super) fn difference(old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(old, new).unified_diff().context_radius(2).to_string()
}
