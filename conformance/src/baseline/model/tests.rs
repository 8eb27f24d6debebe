//! Tests of our own reviewed responses, and of baselines that are made of recordings.

use std::sync::LazyLock;

use regex::Regex;

use super::*;
use crate::snapshot::recording::{
    SUCCESS,
    tests::{case, recording},
};

/// Keys of either environment, queries of links, and headers that hold a key.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)pcp_(live|test)_|signature=|expires=\d|x-api-key: |bearer ").unwrap()
});

#[test]
fn each_file_is_named_for_what_it_holds() {
    let cases = crate::probes::all_cases();
    for (name, file) in Baseline::built_in().files {
        let (_, status, case) = parts(&name).expect(&name);
        assert!(is_code(case) || cases.iter().any(|known| known.id == case), "{name}");
        let mut responses = text::entries(&file.text).map(|(_, response)| response).peekable();
        assert!(responses.peek().is_some(), "{name} holds no response");
        for response in responses {
            assert!(response.starts_with(&format!("{status} ")), "{name}: {response}");
        }
    }
}

#[test]
fn each_response_is_read_and_written_alike() {
    for (name, file) in Baseline::built_in().files {
        for response in text::entries(&file.text).map(|(_, response)| response) {
            assert_eq!(Snapshot::parse(response).to_string(), response, "{name}");
        }
    }
}

#[test]
fn no_file_holds_a_secret() {
    for canary in [
        "GET /a?key=pcp_test_0123",
        "https://a/b?expires=1&signature=abc",
        "authorization: Bearer abc",
    ] {
        assert!(SECRETS.is_match(canary), "the test proves nothing: {canary}");
    }
    for file in FOLDERS.dirs().flat_map(Dir::files) {
        let found = SECRETS.find(file.contents_utf8().unwrap());
        assert!(found.is_none(), "{}: {found:?}", file.path().display());
    }
}

#[test]
fn each_case_finds_its_responses_again_and_equal_ones_are_written_once() {
    let recording = recording([
        case("derived.one", true, &["404 NOT_FOUND No.", "404 NOT_FOUND No."]),
        case("derived.two", true, &["404 NOT_FOUND No.", "404 NOT_FOUND None."]),
        case("by-hand", false, &["404 NOT_FOUND None.", "409 BUSY Wait."]),
    ]);
    let baseline = Baseline::of(Header::default(), &recording);
    let names: Vec<&str> = baseline.files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "getPayout/404_NOT_FOUND",
            "getPayout/404_by-hand",
            "getPayout/404_derived.two",
            "getPayout/409_BUSY",
        ]
    );
    let text = cases::write(&baseline.cases);
    assert!(text.contains("derived.one: getPayout/404_NOT_FOUND\n"), "{text}");
    assert_eq!(cases::read(&text), baseline.cases);
    let all = baseline.expected();
    for (id, case) in &recording.cases {
        let expected: Vec<Snapshot> = all[&**id].iter().map(|one| one.snapshot.clone()).collect();
        let mut got: Vec<_> = case.observations.iter().map(|one| one.snapshot.clone()).collect();
        got.dedup();
        assert_eq!(expected, got, "{id}");
    }
}

#[test]
fn code_of_a_deployment_names_no_file_elsewhere() {
    let recording = recording([case("a.case", true, &["404 ../../../etc/passwd No."])]);
    let baseline = Baseline::of(Header::default(), &recording);
    let names: Vec<&String> = baseline.files.keys().collect();
    assert_eq!(names, ["getPayout/404_..-..-..-etc-passwd"]);
    assert_eq!(baseline.expected()["a.case"].len(), 1);
}

/// Returns true if a snapshot of this label is one of the document's codes, rather than of a case
/// by hand.
fn is_code(label: &str) -> bool {
    label == SUCCESS || !label.contains(char::is_lowercase)
}

/// Operation, status and label of a snapshot's name.
fn parts(name: &str) -> Option<(&str, u16, &str)> {
    let (operation, rest) = name.split_once('/')?;
    let (status, label) = rest.split_once('_')?;
    Some((operation, status.parse().ok()?, label))
}
