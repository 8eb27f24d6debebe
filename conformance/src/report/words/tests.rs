//! Tests of the shared sentences, on sample outcomes.

use super::*;
use crate::report::sample;

/// The sample, of its cases only those that ended so.
fn only(verdicts: &[Verdict]) -> Report {
    let cases = sample::report().cases.into_iter();
    sample::report_of(cases.filter(|case| verdicts.contains(&case.verdict)).collect())
}

#[test]
fn unexpected_verdicts_come_first_and_passes_last() {
    let report = sample::report();
    let order: Vec<(Verdict, bool)> =
        ranked(&report).iter().map(|case| (case.verdict, case.expected)).collect();
    assert_eq!(order[..3], [(Verdict::Fail, false), (Verdict::Fail, false), (Verdict::Fail, true)]);
    assert_eq!(order.last(), Some(&(Verdict::Pass, true)));
    assert!(order.is_sorted());
}

#[test]
fn headline_says_what_the_run_means() {
    let expected = [
        (
            only(&[Verdict::Fail]),
            "3 of 3 cases failed: this deployment does not conform to the core profile.",
        ),
        (
            only(&[Verdict::Error, Verdict::Inconclusive]),
            "No case failed, but 2 of 2 ended without a verdict: conformance is not proved.",
        ),
        (only(&[Verdict::Skipped]), "All 4 cases were skipped, so nothing is proved."),
        (only(&[]), "No case was run, so nothing is proved."),
        (sample::conforming(), "This deployment conforms to the core profile."),
    ];
    for (report, sentence) in expected {
        assert_eq!(headline(&report), sentence);
    }
    let left_open = headline(&only(&[Verdict::Pass, Verdict::Skipped]));
    assert!(left_open.starts_with("Every case that ran passed; 4 of 6 were skipped"));
    assert!(left_open.ends_with(
        "1 case passed or skipped although the expectations file lists \
        another verdict: update the file."
    ));
}

#[test]
fn headline_distinguishes_expected_failures_and_decisions_from_violations() {
    let mut report = only(&[Verdict::Fail]);
    report.cases.retain(|case| case.expected);
    assert!(headline(&report).contains("all of them listed in the expectations file"));
    let mut report = only(&[Verdict::Fail]);
    report.cases.retain(|case| case.clause.source == Source::Decision);
    assert!(headline(&report).contains("none on a sentence of the specification"));
}

#[test]
fn lack_is_listed_once_and_never_for_exempt_statuses() {
    let report = sample::report();
    let lacks: Vec<Option<String>> = report.coverage.iter().map(lack).collect();
    assert_eq!(
        lacks,
        [
            None,
            Some(
                "header never seen: x-service-credits-limit-month; property never seen: \
                /data/owner/email"
                    .to_owned()
            ),
            None,
            Some("no such response was seen".to_owned()),
            None,
        ]
    );
}

#[test]
fn command_that_runs_a_case_alone_survives_a_shell() {
    let mut report = sample::report();
    let case = report.cases[0].clone();
    assert_eq!(
        run_alone(&report, &case),
        "payout-conformance run --target targets/staging.toml --case partners.get.by-external-id"
    );
    report.target.file = "my targets/it's.toml".into();
    assert_eq!(
        run_alone(&report, &case),
        concat!(
            r"payout-conformance run --target 'my targets/it'\''s.toml' ",
            "--case partners.get.by-external-id"
        )
    );
}

#[test]
fn command_that_runs_a_case_alone_judges_as_the_run_did() {
    let mut report = sample::report();
    let mut case = report.cases[0].clone();
    let options = |report: &Report, case: &CaseReport| {
        let command = run_alone(report, case);
        let (_, options) = command.split_once(&case.id).unwrap();
        options.to_owned()
    };
    report.target.with_decisions = false;
    assert_eq!(options(&report, &case), " --decisions off");
    case.changes = Changes::Irreversible;
    assert_eq!(options(&report, &case), " --decisions off --consent irreversible");
    report.target.with_decisions = true;
    report.target.read_only = true;
    assert_eq!(options(&report, &case), " --read-only");
}

#[test]
fn what_cannot_be_undone_is_what_such_cases_left() {
    let case = |id: &str, changes| CaseReport { changes, ..sample::passed(id, "R9", None) };
    let remains = |case: &str, what: &str| Remains { case: case.into(), what: what.into() };
    let told = irreversible(
        &[
            case("lines.detach", Changes::Irreversible),
            case("partners.update-name", Changes::Restored),
        ],
        &[
            remains("lines.detach", "cln_1 is in no payout"),
            remains("partners.update-name", "ptn_1 is not what it was"),
        ],
    );
    assert_eq!(told, ["cln_1 is in no payout"]);
}

#[test]
fn exempt_status_that_was_seen_is_listed() {
    let mut report = sample::report();
    let exempt = report.coverage.last_mut().unwrap();
    exempt.responses = 1;
    let told = lack(exempt).unwrap();
    assert!(told.starts_with("seen, although it is exempt"), "{told}");
}

#[test]
fn seconds_keep_their_milliseconds() {
    assert_eq!(seconds(6_042), "6.042 s");
    assert_eq!(seconds(7), "0.007 s");
}

#[test]
fn nothing_remains_only_where_that_is_known() {
    let mut report = sample::conforming();
    let page = |report: &Report| crate::report::html::page(report);
    assert!(page(&report).contains("Nothing: no case that changes data was run."));
    report.cases[0].changes = Changes::Restored;
    assert!(page(&report).contains("<p>Every change was undone."));
}
