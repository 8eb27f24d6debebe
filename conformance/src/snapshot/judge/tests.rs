//! Tests of the comparison, on sample responses.

use hyper::{HeaderMap, StatusCode};

use super::*;
use crate::{
    document::DOCUMENT,
    exchange::{Request, Response},
    invariants::Invariants,
    secret::{Redaction, Secret},
    snapshot::Recorded,
    verdict::{Diagnosis, Verdict},
};

const CASE: &str = "a.case";
const SECRET: &str = "pcp_test_abcdefgh";
const ACCEPTED: &str = "GET /api/v1/payouts/[payout.1]\n\n404 Not Found\n\n{\n  \"error\": {\n    \
    \"code\": \"NOT_FOUND\",\n    \"message\": \"No.\"\n  }\n}";

/// Snapshots with this accepted text of [`name`].
fn snapshots(mode: Mode, is_seeded: bool, accepted: Option<&str>) -> Snapshots {
    with(mode, is_seeded, accepted.map(|text| (name(), text)))
}

fn with(mode: Mode, is_seeded: bool, accepted: Option<(String, &str)>) -> Snapshots {
    let file = |text: &str| File { text: text.to_owned(), ..File::default() };
    let files = accepted.into_iter().map(|(name, text)| (name, file(text))).collect();
    Snapshots {
        accepted: Arc::new(Baseline { files, ..Baseline::default() }),
        ..Snapshots::new(&DOCUMENT, mode, is_seeded).unwrap()
    }
}

fn name() -> String {
    format!("getPayout/404_{CASE}")
}

/// Judges responses to requests of a payout, each a 404 with its message.
fn judge(snapshots: &Snapshots, id: &str, messages: &[&str]) -> CaseResult {
    let request = Request::get(format!("/api/v1/payouts/{id}"));
    let responses = messages.iter().map(|message| {
        let body = format!(r#"{{"error":{{"code":"NOT_FOUND","message":"{message}"}}}}"#);
        Response::new(StatusCode::NOT_FOUND, HeaderMap::new(), body)
    });
    let responses: Vec<Response> = responses.collect();
    let exchanges: Vec<_> = responses.iter().map(|response| Some((&request, response))).collect();
    let taken = 0..exchanges.len();
    let taken = taken.map(|exchange| Recorded { exchange, random: Vec::new() });
    let subject = Subject {
        case: CASE,
        description: "A sentence.",
        is_derived: false,
        has_passed: true,
        base_url: "https://staging.example.com",
        invariants: &Invariants::new(&DOCUMENT, true).unwrap(),
        redaction: &Redaction::of([Secret::new("KEY", SECRET)]),
        fixtures: &[("pay_1".to_owned(), "payout")],
        exchanges: &exchanges,
        taken: &taken.collect::<Vec<_>>(),
        unsteady: &[],
    };
    snapshots.end_case(subject, false)
}

#[test]
fn accepted_response_passes_and_the_first_different_one_fails_with_both_texts() {
    let snapshots = snapshots(Mode::Accepted, true, Some(ACCEPTED));
    assert!(judge(&snapshots, "pay_1", &["No."]).is_ok());
    let CaseOutcome { verdict, because } =
        judge(&snapshots, "pay_1", &["No.", "No.", "None.", "More."]).unwrap_err();
    assert_eq!(verdict, Verdict::Fail);
    assert!(because.what.starts_with("The response differs from its snapshot getPayout/404_"));
    assert_eq!(because.expected.as_deref(), Some(ACCEPTED));
    assert!(because.actual.unwrap().contains("None."));
    assert_eq!(because.exchange, Some(2));
}

#[test]
fn response_without_an_accepted_text_is_an_error_only_in_own_runs() {
    let judged = |mode, is_seeded| judge(&snapshots(mode, is_seeded, None), "pay_1", &["No."]);
    assert!(judged(Mode::Accepted, true).is_ok());
    assert!(judged(Mode::Required, false).is_ok());
    let CaseOutcome { verdict, because: Diagnosis { what, .. } } =
        judged(Mode::Required, true).unwrap_err();
    assert_eq!(verdict, Verdict::Error);
    assert!(what.contains(&name()) && what.contains("cargo insta review"), "{what}");
}

#[test]
fn new_text_is_kept_for_review_without_secrets_and_is_no_failure() {
    let snapshots = snapshots(Mode::New, true, None);
    assert!(judge(&snapshots, &format!("{SECRET}?key={SECRET}"), &["No."]).is_ok());
    let fresh = snapshots.fresh.lock();
    let File { description, text } = &fresh[&name()];
    assert_eq!(description, "A sentence.");
    assert!(text.starts_with("GET /api/v1/payouts/[key]?key=[key]\n"), "{text}");
}

#[test]
fn own_run_reports_stale_snapshots_and_responses_without_one() {
    let snapshots = snapshots(Mode::Required, true, Some(ACCEPTED));
    let (cases, ids, none) = ([(CASE, false)], BTreeSet::from([CASE]), BTreeSet::new());
    let findings = snapshots.findings(&cases, &ids, &[("getPayout", 404), ("getPayout", 200)]);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].contains(&name()), "{findings:?}");
    assert!(findings[1].starts_with("getPayout answered 200"), "{findings:?}");
    // Nothing is known about a case that did not pass, and no case has this name any more.
    assert!(snapshots.findings(&cases, &none, &[]).is_empty());
    assert_eq!(snapshots.findings(&[], &none, &[]).len(), 1);
    judge(&snapshots, "pay_1", &["No."]).unwrap();
    assert!(snapshots.findings(&cases, &ids, &[]).is_empty());
    assert_eq!(snapshots.again().findings(&cases, &ids, &[]).len(), 1);
}

#[test]
fn shared_snapshot_is_stale_only_after_every_derived_case() {
    let shared = "getPayout/404_NOT_FOUND".to_owned();
    let snapshots = with(Mode::Required, true, Some((shared.clone(), ACCEPTED)));
    let cases = [("derived.one", true), ("derived.two", true), (CASE, false)];
    let mut passed = BTreeSet::from(["derived.one", "derived.two"]);
    let findings = snapshots.findings(&cases, &passed, &[]);
    assert!(matches!(&findings[..], [only] if only.contains(&shared)), "{findings:?}");
    // A run of fewer cases, such as with `--case` or `--read-only`.
    passed.pop_last();
    assert!(snapshots.findings(&cases, &passed, &[]).is_empty());
}
