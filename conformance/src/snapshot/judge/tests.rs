//! Tests of the comparison, on sample responses.

use std::path::Path;

use super::*;
use crate::{
    case::Case,
    secret::Secret,
    snapshot::text::tests::told,
    verdict::{Diagnosis, Verdict},
};

type Exchange = (Request, Response);

const SECRET: &str = "pcp_test_abcdefgh";
const JSON: (&str, &str) = ("content-type", "application/json");

fn document() -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
    Document::load(&path).unwrap()
}

fn case() -> &'static Case {
    crate::probes::all_cases()[0]
}

fn not_found(request: Request, message: &str) -> Exchange {
    let body = format!(r#"{{"error":{{"code":"NOT_FOUND","message":"{message}"}}}}"#);
    exchange(request, told(404, &[JSON], &body))
}

fn exchange(request: Request, response: Response) -> Exchange {
    (request, response)
}

/// Snapshots with this accepted text of [`name`].
fn snapshots(mode: Mode, is_seeded: bool, accepted: Option<&str>) -> Snapshots {
    let accepted = accepted.map(|text| (name(), text.to_owned()));
    Snapshots {
        accepted: Arc::new(accepted.into_iter().collect()),
        ..Snapshots::new(&document(), mode, is_seeded).unwrap()
    }
}

fn name() -> String {
    accepted::name("getPayout", 404, case().id)
}

fn judge(snapshots: &Snapshots, exchanges: &[Exchange]) -> CaseResult {
    let taken: Vec<Recorded> =
        (0..exchanges.len()).map(|exchange| Recorded { exchange, random: Vec::new() }).collect();
    let exchanges: Vec<Option<(&Request, &Response)>> =
        exchanges.iter().map(|(request, response)| Some((request, response))).collect();
    snapshots.judge(Subject {
        case: Some(case().id),
        description: case().sentence,
        invariants: &Invariants::new(&document(), true).unwrap(),
        redaction: &Redaction::of([Secret::new("KEY", SECRET)]),
        fixtures: &[("pay_1".to_owned(), "payout")],
        exchanges: &exchanges,
        taken: &taken,
    })
}

const ACCEPTED: &str = "GET /api/v1/payouts/nobody\n\n404 Not Found\ncontent-type: \
    application/json\n\n{\n  \"error\": {\n    \"code\": \"NOT_FOUND\",\n    \"message\": \
    \"No.\"\n  }\n}";

fn nobody(message: &str) -> Exchange {
    not_found(Request::get("/api/v1/payouts/nobody"), message)
}

#[test]
fn accepted_response_passes_and_a_different_one_fails_with_both_texts() {
    let snapshots = snapshots(Mode::Accepted, true, Some(ACCEPTED));
    assert!(judge(&snapshots, &[nobody("No.")]).is_ok());
    let Err(CaseOutcome { verdict: Verdict::Fail, because }) =
        judge(&snapshots, &[nobody("None.")])
    else {
        panic!("it passed");
    };
    assert!(because.what.starts_with("The response differs from its snapshot getPayout/404_"));
    assert_eq!(because.expected.as_deref(), Some(ACCEPTED));
    assert!(because.actual.unwrap().contains("None."));
    assert_eq!(because.exchange, Some(0));
}

#[test]
fn fixture_is_named_before_any_response_contains_its_id() {
    let accepted = ACCEPTED.replace("nobody", "[payout.1]");
    let snapshots = snapshots(Mode::Accepted, true, Some(&accepted));
    let exchange = not_found(Request::get("/api/v1/payouts/pay_1"), "No.");
    assert!(judge(&snapshots, &[exchange]).is_ok());
}

#[test]
fn first_response_that_differs_shows_it() {
    let snapshots = snapshots(Mode::Accepted, true, Some(ACCEPTED));
    let exchanges = [nobody("No."), nobody("No."), nobody("Other."), nobody("More.")];
    let Err(CaseOutcome { verdict: Verdict::Fail, because }) = judge(&snapshots, &exchanges) else {
        panic!("it passed");
    };
    assert_eq!(because.exchange, Some(2));
}

#[test]
fn response_without_an_accepted_text_is_an_error_only_in_own_runs() {
    let exchanges = [nobody("No.")];
    assert!(judge(&snapshots(Mode::Accepted, true, None), &exchanges).is_ok());
    assert!(judge(&snapshots(Mode::Required, false, None), &exchanges).is_ok());
    let required = judge(&snapshots(Mode::Required, true, None), &exchanges);
    let Err(CaseOutcome { verdict: Verdict::Error, because: Diagnosis { what, .. } }) = required
    else {
        panic!("it passed");
    };
    assert!(what.contains(&name()) && what.contains("cargo insta review"), "{what}");
}

#[test]
fn new_text_is_kept_for_review_and_is_no_failure() {
    let snapshots = snapshots(Mode::New, true, None);
    let secret = format!("/api/v1/payouts/{SECRET}?key={SECRET}");
    assert!(judge(&snapshots, &[not_found(Request::get(secret), "No.")]).is_ok());
    let fresh = snapshots.fresh.lock();
    let (sentence, text) = &fresh[&name()];
    assert!(sentence.starts_with(case().sentence), "{sentence}");
    assert!(text.starts_with("GET /api/v1/payouts/[key]?key=[key]\n"), "{text}");
}

#[test]
fn elsewhere_nothing_is_compared() {
    let snapshots = snapshots(Mode::Required, false, Some(ACCEPTED));
    assert!(judge(&snapshots, &[nobody("In other words.")]).is_ok());
    assert!(snapshots.findings(&[], &BTreeSet::new(), &[("getPayout", 200)]).is_empty());
}

#[test]
fn own_run_reports_stale_snapshots_and_responses_without_one() {
    let snapshots = snapshots(Mode::Required, true, Some(ACCEPTED));
    let (cases, ids, none) = ([case()], BTreeSet::from([case().id]), BTreeSet::new());
    let findings = snapshots.findings(&cases, &ids, &[("getPayout", 404), ("getPayout", 200)]);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].contains(&name()), "{findings:?}");
    assert!(findings[1].starts_with("getPayout answered 200"), "{findings:?}");
    // Nothing is known about a case that did not pass.
    assert!(snapshots.findings(&cases, &none, &[]).is_empty());
    // No case has this name any more.
    assert_eq!(snapshots.findings(&[], &none, &[]).len(), 1);
    judge(&snapshots, &[nobody("No.")]).unwrap();
    assert!(snapshots.findings(&cases, &ids, &[]).is_empty());
    assert_eq!(snapshots.again().findings(&cases, &ids, &[]).len(), 1);
}

#[test]
fn shared_snapshot_is_stale_only_after_every_derived_case() {
    let shared = accepted::name("getPayout", 404, "NOT_FOUND");
    let accepted = [(shared.clone(), ACCEPTED.to_owned())].into();
    let snapshots = Snapshots {
        accepted: Arc::new(accepted),
        ..Snapshots::new(&document(), Mode::Required, true).unwrap()
    };
    let cases = crate::probes::all_cases();
    let derived = cases.iter().filter(|case| case.is_derived && !case.is_generated);
    let mut passed: BTreeSet<&str> = derived.map(|case| case.id).collect();
    let findings = snapshots.findings(&cases, &passed, &[]);
    assert!(matches!(&findings[..], [only] if only.contains(&shared)), "{findings:?}");
    // A run of fewer cases, such as with `--case` or `--read-only`.
    passed.pop_last();
    assert!(snapshots.findings(&cases, &passed, &[]).is_empty());
}
