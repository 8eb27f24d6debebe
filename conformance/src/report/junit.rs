//! The report as JUnit XML: one suite per operation, or per subject if a case is about none.
//!
//! The file is red exactly when the run is: a case that ended as the expectations file says is
//! `skipped` with its comment; one that ended otherwise is a failure, even if it passed. An
//! inconclusive case is an error, because green would claim what is not proved.

use std::{fmt::Write as _, time::Duration};

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{
    model::{CaseReport, Report},
    words,
};
use crate::{
    verdict::Verdict,
    visible::{visible, visible_line},
};

pub(crate) fn text(report: &Report) -> String {
    let began = DateTime::parse_from_rfc3339(&report.began_at).ok();
    let name = visible_line(&format!("payout-conformance of {}", report.target.name));
    let mut file = quick_junit::Report::new(name);
    file.set_time(Duration::from_millis(report.elapsed_milliseconds));
    // In the order of their worst case.
    let mut suites: Vec<TestSuite> = Vec::new();
    for case in words::ranked(report) {
        let name = visible_line(suite_of(case));
        let test = test_case(report, case);
        let known = |suite: &TestSuite| suite.name.as_str() == name;
        let index = suites.iter().position(known).unwrap_or_else(|| {
            let mut suite = TestSuite::new(name.as_str());
            suite.timestamp = began;
            suites.push(suite);
            suites.len() - 1
        });
        let suite = &mut suites[index];
        suite.time = Some(suite.time.unwrap_or_default() + test.time.unwrap_or_default());
        suite.add_test_case(test);
    }
    file.add_test_suites(suites);
    file.to_string().expect("the writer is a buffer, and every text is XML by `visible`")
}

/// The operation, or the subject that the id begins with.
fn suite_of(case: &CaseReport) -> &str {
    let subject = case.id.split('.').next().unwrap_or(&case.id);
    case.operation.as_deref().unwrap_or(subject)
}

fn test_case(report: &Report, case: &CaseReport) -> TestCase {
    let mut status = match (case.expected, case.verdict) {
        (true, Verdict::Pass) => TestCaseStatus::success(),
        (true, _) => TestCaseStatus::skipped(),
        (false, Verdict::Error | Verdict::Inconclusive) => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        (false, _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    if !matches!(status, TestCaseStatus::Success { .. }) {
        status.set_message(visible_line(&message(case)));
        status.set_description(visible(&explanation(report, case)));
    }
    if matches!(status, TestCaseStatus::NonSuccess { .. }) {
        status.set_type(case.verdict.name());
    }
    let mut test = TestCase::new(visible_line(&case.id), status);
    test.set_classname(visible_line(suite_of(case)));
    test.set_time(Duration::from_millis(case.elapsed_milliseconds));
    test.add_properties(
        [
            ("sentence", case.sentence.as_str()),
            ("requirement", &case.clause.id),
            ("requirement.source", words::said_by(case.clause.source)),
            ("requirement.sentence", &case.clause.sentence),
            ("profile", &case.profile),
            ("verdict", case.verdict.name()),
        ]
        .map(|(name, value)| Property::new(name, visible_line(value))),
    );
    if case.verdict != Verdict::Pass && !case.exchanges.is_empty() {
        test.set_system_out(visible(&exchanges(case)));
    }
    test
}

fn message(case: &CaseReport) -> String {
    let what = case.because.as_ref().map(|because| {
        if because.missing.is_empty() {
            because.what.clone()
        } else {
            format!("{} Missing: {}.", because.what, because.missing.join(", "))
        }
    });
    let parts: Vec<String> = what.into_iter().chain(words::expectation(case)).collect();
    if parts.is_empty() {
        format!("{}: {}", case.verdict.name(), case.sentence)
    } else {
        parts.join(" ")
    }
}

fn explanation(report: &Report, case: &CaseReport) -> String {
    let mut out = format!("{}\nRequirement: {}\n", case.sentence, words::requirement(case));
    if let Some(because) = &case.because {
        for (name, side) in [("Expected", &because.expected), ("Actual", &because.actual)] {
            if let Some(text) = side {
                let _ = writeln!(out, "{name}:\n{text}");
            }
        }
    }
    for violation in words::violations(case) {
        let _ = writeln!(out, "Invariant violated: {violation}");
    }
    if let Some(exchange) = words::telling_exchange(case) {
        let _ = writeln!(out, "{}", exchange.curl);
    }
    let _ = writeln!(out, "Run it alone: {}", words::run_alone(report, case));
    out
}

/// One line for each exchange; the HTML and the JSON report hold headers and bodies.
fn exchanges(case: &CaseReport) -> String {
    let mut out = String::new();
    for (index, exchange) in case.exchanges.iter().enumerate() {
        let response = exchange.response.as_ref().map_or("no response", |response| &response.line);
        let _ = writeln!(
            out,
            "{}. {} → {response}, {}",
            index + 1,
            exchange.request.line,
            words::seconds(exchange.elapsed_milliseconds)
        );
    }
    out
}
