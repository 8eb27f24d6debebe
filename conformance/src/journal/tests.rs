//! Tests of the journal.

use super::*;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    (folder, path)
}

fn open(path: &Path) -> Journal {
    Journal::open(path, Redaction::default()).unwrap()
}

fn open_intents(path: &Path) -> Vec<String> {
    let all = unfinished(path).unwrap();
    all.into_iter().map(|intent| intent.what).collect()
}

#[test]
fn intent_is_unfinished_until_its_result_is_written() {
    let (_folder, path) = folder();
    let journal = open(&path);
    let first = journal.intend("lines.detach", "detach cln_1", Undo::ByHand).unwrap();
    let second = journal.intend("lines.detach", "detach cln_2", Undo::ByHand).unwrap();
    assert_eq!(open_intents(&path), ["detach cln_1", "detach cln_2"]);
    journal.close(&journal.run, first, "200").unwrap();
    assert_eq!(open_intents(&path), ["detach cln_2"]);
    let left = unfinished(&path).unwrap();
    assert_eq!((left[0].case.as_str(), left[0].at.len()), ("lines.detach", 24));
    journal.close(&journal.run, second, "422").unwrap();
    assert!(open_intents(&path).is_empty());
}

#[test]
fn intent_of_a_killed_run_is_open_until_it_is_settled() {
    let (_folder, path) = folder();
    let killed = open(&path);
    killed.intend("lines.detach", "detach cln_1", Undo::ByHand).unwrap();
    drop(killed);
    let next = open(&path);
    // The same number in another run.
    let entry = next.intend("lines.detach", "detach cln_2", Undo::ByHand).unwrap();
    next.close(&next.run, entry, "200").unwrap();
    let left = unfinished(&path).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].what, "detach cln_1");
    next.close(&left[0].run, left[0].number, "checked").unwrap();
    assert!(open_intents(&path).is_empty());
}

#[test]
fn half_a_line_is_ignored_and_not_continued() {
    let (_folder, path) = folder();
    open(&path).intend("c", "detach cln_1", Undo::ByHand).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"run\":\"00\",\"num").unwrap();
    assert_eq!(open_intents(&path), ["detach cln_1"]);
    open(&path).intend("c", "detach cln_2", Undo::ByHand).unwrap();
    assert_eq!(open_intents(&path), ["detach cln_1", "detach cln_2"]);
}

#[test]
fn file_that_is_no_journal_is_rejected_with_its_line() {
    let (_folder, path) = folder();
    open(&path).intend("c", "w", Undo::ByHand).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"name = \"staging\"\n").unwrap();
    let error = unfinished(&path).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn no_secret_reaches_the_file() {
    let (_folder, path) = folder();
    let key = Secret::new("KEY_ALL", "hunter2");
    let journal = Journal::open(&path, Redaction::of([key])).unwrap();
    journal.redact(Secret::new("CREATED_KEY", "swordfish"));
    let entry = journal.intend("c", "revoke hunter2 and swordfish", Undo::ByHand).unwrap();
    journal.close(&journal.run, entry, "said swordfish").unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("swordfish"), "{text}");
    assert!(text.contains("revoke $KEY_ALL and $CREATED_KEY"), "{text}");
}

#[test]
fn second_run_with_a_journal_is_refused_until_the_first_ends() {
    let (_folder, path) = folder();
    let first = open(&path);
    let refused = Journal::open(&path, Redaction::default()).unwrap_err();
    let holder = format!("is active: process {}, since 2", std::process::id());
    assert!(refused.contains(&holder), "{refused}");
    assert!(refused.ends_with("Wait for its end"), "{refused}");
    drop(first);
    open(&path);
}
