//! Tests of the comparison, on sample responses.

use hyper::{HeaderMap, StatusCode};

use super::*;
use crate::{
    document::DOCUMENT,
    exchange::{Request, Response},
    secret::{Redaction, Secret},
    snapshot::{Recorded, recording::tests::INVARIANTS},
    verdict::{Diagnosis, Verdict},
};

const CASE: &str = "a.case";
const SECRET: &str = "pcp_test_abcdefgh";

fn known() -> KnownCase {
    KnownCase { id: CASE, description: "A sentence.".to_owned(), is_derived: false }
}

/// Snapshots of a deployment with our data set, of which these cases are accepted.
fn snapshots(mode: Mode, accepted: Recording) -> Snapshots {
    let accepted = Baseline::of(Header::default(), &accepted);
    let snapshots = Snapshots::new(&DOCUMENT, mode, true).unwrap();
    Snapshots { purpose: Purpose::Review(Arc::new(accepted)), ..snapshots }
}

/// A recording in which the case gets a 404 for each message.
fn recorded(messages: &[&str]) -> Recording {
    let snapshots =
        Snapshots { purpose: Purpose::Recording, ..snapshots(Mode::New, Recording::default()) };
    end_case(&snapshots, "pay_1", messages).unwrap();
    snapshots.take_recording()
}

/// Ends the case with responses to requests of a payout, each a 404 with its message.
fn end_case(snapshots: &Snapshots, id: &str, messages: &[&str]) -> CaseResult {
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
        case: &known(),
        has_passed: true,
        base_url: "https://staging.example.com",
        invariants: &INVARIANTS,
        redaction: &Redaction::of([Secret::new("KEY", SECRET)]),
        fixtures: &[("pay_1".to_owned(), "payout")],
        exchanges: &exchanges,
        taken: &taken.collect::<Vec<_>>(),
        unsteady: &[],
    };
    snapshots.end_case(subject, false)
}

fn review(snapshots: &Snapshots, answered: &[(&str, u16)]) -> Vec<String> {
    snapshots.review(&[known()], answered).unwrap().findings
}

#[test]
fn accepted_response_passes_and_the_first_different_one_fails_with_both_texts() {
    let snapshots = snapshots(Mode::Accepted, recorded(&["No."]));
    assert!(end_case(&snapshots, "pay_1", &["No.", "No."]).is_ok());
    let CaseOutcome { verdict, because } =
        end_case(&snapshots, "pay_1", &["No.", "No.", "None.", "More."]).unwrap_err();
    assert_eq!(verdict, Verdict::Fail);
    assert_eq!(
        because.what,
        "The response differs from its snapshot getPayout/404_NOT_FOUND: error.message is \
         \"None.\" instead of \"No.\"."
    );
    assert!(because.expected.unwrap().contains("No."));
    assert!(because.actual.unwrap().contains("None."));
    assert_eq!(because.exchange, Some(2));
}

#[test]
fn case_without_snapshots_is_an_error_only_where_they_are_required() {
    let ended = |mode| end_case(&snapshots(mode, Recording::default()), "pay_1", &["No."]);
    assert!(ended(Mode::Accepted).is_ok() && ended(Mode::New).is_ok());
    let CaseOutcome { verdict, because: Diagnosis { what, .. } } =
        ended(Mode::Required).unwrap_err();
    assert_eq!(verdict, Verdict::Error);
    assert!(what.contains("cargo insta review"), "{what}");
    let elsewhere = Snapshots::new(&DOCUMENT, Mode::Required, false).unwrap();
    assert!(!elsewhere.is_used());
    assert!(elsewhere.review(&[known()], &[("getPayout", 200)]).unwrap().findings.is_empty());
}

#[test]
fn run_reports_each_snapshot_that_is_new_changed_or_stale_and_responses_without_one() {
    let accepted = || recorded(&["No."]);
    let same = snapshots(Mode::Required, accepted());
    end_case(&same, "pay_1", &["No."]).unwrap();
    assert_eq!(review(&same, &[("getPayout", 404)]), [""; 0]);
    let findings = review(&same, &[("getPayout", 200)]);
    assert!(matches!(&findings[..], [only] if only.starts_with("getPayout answered 200")));

    // Another request with the same response.
    let asked = snapshots(Mode::Required, accepted());
    end_case(&asked, "pay_2", &["No."]).unwrap();
    let findings = review(&asked, &[]);
    assert!(matches!(&findings[..], [only] if only.contains("404_NOT_FOUND is out of date")));

    // The case did not run, or did not pass: nothing is known about its snapshots.
    assert_eq!(review(&snapshots(Mode::Required, accepted()), &[]), [""; 0]);
    let failed = snapshots(Mode::Required, accepted());
    end_case(&failed, "pay_1", &["None."]).unwrap_err();
    assert_eq!(review(&failed, &[]), [""; 0]);

    // No case has this name any more.
    let findings = snapshots(Mode::Required, accepted()).review(&[], &[]).unwrap().findings;
    assert!(findings.iter().any(|finding| finding.starts_with("No case takes the snapshot")));
}

#[test]
fn secrets_of_requests_are_in_no_new_snapshot() {
    let snapshots = snapshots(Mode::New, Recording::default());
    end_case(&snapshots, &format!("{SECRET}?key={SECRET}"), &["No."]).unwrap();
    let accepted = snapshots.accepted().unwrap();
    let updated = accepted.updated(snapshots.take_recording(), &[known()]);
    let (changed, _) = updated.changes(accepted);
    let file = &changed["getPayout/404_NOT_FOUND"];
    assert_eq!(file.description, "A sentence.");
    assert!(file.text.starts_with("GET /api/v1/payouts/[key]?key=[key]\n"), "{}", file.text);
}
