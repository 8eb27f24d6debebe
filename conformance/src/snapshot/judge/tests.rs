//! The judge's verdicts, on responses made up.

use std::path::Path;

use super::*;
use crate::{
    exchange::{Request, Response},
    report::model::CoverageReport,
    secret::Secret,
    snapshot::text::tests::told,
    verdict::Verdict,
};

const SECRET: &str = "pcp_test_abcdefgh";
const JSON: (&str, &str) = ("content-type", "application/json");

fn document() -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
    Document::load(&path).unwrap()
}

fn case() -> &'static Case {
    crate::cases::all()[0]
}

fn not_found(request: Request, message: &str) -> Exchange {
    let body = format!(r#"{{"error":{{"code":"NOT_FOUND","message":"{message}"}}}}"#);
    exchange(request, told(404, &[JSON], &body))
}

fn exchange(request: Request, response: Response) -> Exchange {
    Exchange {
        request,
        address: None,
        response: Ok(response),
        violations: Vec::new(),
    }
}

/// Snapshots with this accepted text of [`name`].
fn snapshots(mode: Mode, is_seeded: bool, accepted: Option<&str>) -> Snapshots {
    let accepted = accepted.map(|text| (name(), text.to_owned()));
    Snapshots {
        accepted: accepted.into_iter().collect(),
        ..Snapshots::new(&document(), mode, is_seeded, true).unwrap()
    }
}

fn name() -> String {
    accepted::name("getPayout", 404, case().id)
}

fn judge(snapshots: &Snapshots, exchanges: &[Exchange]) -> Result<(), CaseOutcome> {
    let taken: Vec<Recorded> = (0..exchanges.len())
        .map(|exchange| Recorded {
            exchange,
            drawn: Vec::new(),
        })
        .collect();
    snapshots.judge(Subject {
        case: case(),
        invariants: &Invariants::new(&document(), true).unwrap(),
        redaction: &Redaction::of([Secret::new("KEY", SECRET)]),
        fixtures: &[("pay_1".to_owned(), "payout")],
        exchanges,
        taken: &taken,
    })
}

const ACCEPTED: &str = "GET /api/v1/payouts/nobody\n\n404 Not Found\ncontent-type: application/json\n\n{\n  \"error\": {\n    \"code\": \"NOT_FOUND\",\n    \"message\": \"No.\"\n  }\n}";

fn nobody(message: &str) -> Exchange {
    not_found(Request::get("/api/v1/payouts/nobody"), message)
}

#[test]
fn answer_that_is_as_accepted_passes_and_one_that_differs_fails_with_both_texts() {
    let snapshots = snapshots(Mode::Accepted, true, Some(ACCEPTED));
    assert!(judge(&snapshots, &[nobody("No.")]).is_ok());
    let Err(CaseOutcome::Failed(because)) = judge(&snapshots, &[nobody("None.")]) else {
        panic!("it passed");
    };
    assert!(
        because
            .what
            .starts_with("The response differs from its snapshot getPayout/404_")
    );
    assert_eq!(because.expected.as_deref(), Some(ACCEPTED));
    assert!(because.actual.unwrap().contains("None."));
    assert_eq!(because.exchange, Some(0));
}

#[test]
fn fixture_is_named_before_any_answer_tells_its_id() {
    let accepted = ACCEPTED.replace("nobody", "[payout.1]");
    let snapshots = snapshots(Mode::Accepted, true, Some(&accepted));
    let exchange = not_found(Request::get("/api/v1/payouts/pay_1"), "No.");
    assert!(judge(&snapshots, &[exchange]).is_ok());
}

#[test]
fn first_answer_that_differs_is_the_one_that_shows_it() {
    let snapshots = snapshots(Mode::Accepted, true, Some(ACCEPTED));
    let exchanges = [
        nobody("No."),
        nobody("No."),
        nobody("Other."),
        nobody("More."),
    ];
    let Err(CaseOutcome::Failed(because)) = judge(&snapshots, &exchanges) else {
        panic!("it passed");
    };
    assert_eq!(because.exchange, Some(2));
}

#[test]
fn answer_without_an_accepted_text_is_an_error_in_own_runs_alone() {
    let exchanges = [nobody("No.")];
    assert!(judge(&snapshots(Mode::Accepted, true, None), &exchanges).is_ok());
    assert!(judge(&snapshots(Mode::Required, false, None), &exchanges).is_ok());
    let Err(CaseOutcome::Error(what)) = judge(&snapshots(Mode::Required, true, None), &exchanges)
    else {
        panic!("it passed");
    };
    assert!(
        what.contains(&name()) && what.contains("cargo insta review"),
        "{what}"
    );
}

#[test]
fn what_is_new_waits_for_review_and_fails_nobody() {
    let snapshots = snapshots(Mode::New, true, None);
    let secret = format!("/api/v1/payouts/{SECRET}?key={SECRET}");
    assert!(judge(&snapshots, &[not_found(Request::get(secret), "No.")]).is_ok());
    let fresh = snapshots.fresh.lock().unwrap();
    let (sentence, text) = &fresh[&name()];
    assert!(sentence.starts_with(case().sentence), "{sentence}");
    assert!(
        text.starts_with("GET /api/v1/payouts/[key]?key=[key]\n"),
        "{text}"
    );
}

#[test]
fn elsewhere_only_the_shape_is_compared() {
    let snapshots = snapshots(Mode::Accepted, false, Some(ACCEPTED));
    let other = not_found(Request::get("/api/v1/payouts/else"), "In other words.");
    assert!(judge(&snapshots, &[other.clone(), other]).is_ok());
    let body = r#"{"error":{"code":"NOT_FOUND","message":7}}"#;
    let odd = exchange(
        Request::get("/api/v1/payouts/else"),
        told(404, &[JSON], body),
    );
    let Err(CaseOutcome::Failed(because)) = judge(&snapshots, &[nobody("No."), odd]) else {
        panic!("it passed");
    };
    assert_eq!(because.exchange, Some(1));
    assert!(because.what.contains("another shape"), "{}", because.what);
    assert!(because.actual.unwrap().contains(r#""message": "number""#));
}

#[test]
fn without_decisions_codes_are_nobodys_business() {
    let snapshots = Snapshots {
        with_decisions: false,
        by_value: false,
        ..snapshots(Mode::Required, true, Some(ACCEPTED))
    };
    let body = r#"{"error":{"code":"ABSENT","message":"m","details":[1]}}"#;
    let request = Request::get("/api/v1/payouts/else");
    assert!(judge(&snapshots, &[exchange(request, told(404, &[JSON], body))]).is_ok());
}

#[test]
fn own_run_tells_snapshots_that_nobody_takes_and_answers_that_nobody_shows() {
    let snapshots = snapshots(Mode::Required, true, Some(ACCEPTED));
    let mut report = crate::report::sample::report().cases[0].clone();
    report.id = case().id.to_owned();
    report.verdict = Verdict::Pass;
    let covered = |status| CoverageReport {
        operation: "getPayout".to_owned(),
        status,
        responses: 1,
        headers_missing: Vec::new(),
        properties_missing: Vec::new(),
        exempt: None,
    };
    let coverage = [covered(404), covered(200)];
    let findings = snapshots.findings(&[report.clone()], &coverage);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].contains(&name()), "{findings:?}");
    assert!(
        findings[1].starts_with("getPayout answered 200"),
        "{findings:?}"
    );
    // Of a case that did not pass nothing is known.
    report.verdict = Verdict::Skipped;
    assert!(snapshots.findings(&[report.clone()], &[]).is_empty());
    report.verdict = Verdict::Pass;
    judge(&snapshots, &[nobody("No.")]).unwrap();
    assert!(snapshots.findings(&[report], &[]).is_empty());
}
