//! Tests of baselines in folders.

use super::*;
use crate::snapshot::recording::tests::{case, recording};

/// A baseline of one case with this message.
fn baseline(message: &str) -> Baseline {
    let header = Header { format: FORMAT, target: "production".to_owned(), ..Header::default() };
    let response = format!("404 NOT_FOUND {message}");
    Baseline::of(header, &recording([case("a.case", true, &[&response])]))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn baseline_is_read_as_it_was_written_and_replaced_whole() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/baseline");
    baseline("No.").write(&folder).unwrap();
    fs::write(folder.join("getPayout/404_stale.snap"), "---\n---\nGET /\n\n404 N\n").unwrap();
    let written = baseline("None: \"it\" is\u{a0}gone.");
    written.write(&folder).unwrap();
    let read = Baseline::read(&folder).unwrap();
    assert_eq!(read.files, written.files);
    assert_eq!(read.cases, written.cases);
    assert_eq!(names(&folder), ["Cargo.toml", "baseline.toml", "cases.snap", "getPayout"]);
    assert_eq!(names(folder.parent().unwrap()), ["baseline"], "no draft is left");
}

#[test]
fn folder_with_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    assert!(check(folder.path()).is_ok(), "it is empty");
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let error = baseline("No.").write(folder.path()).unwrap_err();
    assert!(error.contains("holds something else than a baseline"), "{error}");
    assert_eq!(names(folder.path()), ["notes.txt"]);
    let error = Baseline::read(folder.path()).unwrap_err();
    assert!(error.contains("is no baseline"), "{error}");
    assert!(check(&folder.path().join("notes.txt")).is_err());
    assert!(check(&folder.path().join("not/there")).is_ok());
}

#[test]
fn review_writes_what_changed_beside_the_files_and_names_the_rest() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("baseline");
    baseline("No.").write(&folder).unwrap();
    assert_eq!(baseline("No.").write_for_review(&folder).unwrap(), (0, Vec::new()));
    assert_eq!(baseline("None.").write_for_review(&folder).unwrap(), (1, Vec::new()));
    let new = folder.join("getPayout/404_NOT_FOUND.snap.new");
    assert!(fs::read_to_string(new).unwrap().contains("None."));
    let read = Baseline::read(&folder).unwrap();
    assert_eq!(read.files, baseline("No.").files, "what waits for review does not count");
    let other = recording([case("a.case", true, &["409 BUSY Wait."])]);
    let other = Baseline::of(Header::default(), &other);
    let (_, gone) = other.write_for_review(&folder).unwrap();
    assert_eq!(gone, ["getPayout/404_NOT_FOUND"]);
}

#[test]
fn baseline_is_the_new_one_once_its_review_is_accepted() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("baseline");
    baseline("No.").write(&folder).unwrap();
    let other = recording([case("a.case", true, &["404 NOT_FOUND No.", "409 BUSY Wait."])]);
    let header = Header { target: "new".to_owned(), format: FORMAT, ..Header::default() };
    let other = Baseline::of(header, &other);
    assert_eq!(other.write_for_review(&folder).unwrap(), (2, Vec::new()));
    for name in ["cases", "getPayout/409_BUSY"] {
        let path = |end| folder.join(format!("{name}{end}"));
        fs::rename(path(NEW), path(SNAPSHOT)).unwrap();
    }
    let read = Baseline::read(&folder).unwrap();
    assert_eq!((&read.files, &read.cases), (&other.files, &other.cases));
    assert_eq!(read.header.target, "new");
    fs::remove_file(folder.join("getPayout/409_BUSY.snap")).unwrap();
    let error = Baseline::read(&folder).unwrap_err();
    assert!(error.contains("no response getPayout/409_BUSY, which cases.snap names"), "{error}");
}

#[test]
fn damaged_baseline_is_refused_with_what_is_wrong() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("baseline");
    baseline("No.").write(&folder).unwrap();
    fs::remove_file(folder.join("getPayout/404_NOT_FOUND.snap")).unwrap();
    let error = Baseline::read(&folder).unwrap_err();
    assert!(error.contains("has no response getPayout/404_NOT_FOUND"), "{error}");
    let path = folder.join(HEADER);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("format = 3", "format = 99")).unwrap();
    let error = Baseline::read(&folder).unwrap_err();
    assert!(error.contains("has the format 99"), "{error}");
    fs::write(&path, "format = \"one\"").unwrap();
    let error = Baseline::read(&folder).unwrap_err();
    assert!(error.contains("line 1"), "{error}");
}
