//! Tests of the final text, without its colours.

use super::*;
use crate::report::sample;

/// The text as it is without colours.
fn text(report: &Report) -> String {
    anstream::adapter::strip_str(&super::text(report)).to_string()
}

#[test]
fn final_text_is_as_it_was_reviewed() {
    sample::settings("../snapshots")
        .bind(|| insta::assert_snapshot!("terminal", text(&sample::report())));
}

#[test]
fn failures_come_first_and_the_summary_last() {
    let text = text(&sample::report());
    assert!(text.starts_with("Failed: 3  "));
    let last = text.lines().last().unwrap();
    assert_eq!(
        last,
        "11 cases: 3 failed, 1 error, 1 inconclusive, 4 skipped, 2 passed; 5 unexpected. 6.042 s"
    );
}

#[test]
fn response_cannot_steer_the_terminal() {
    let text = text(&sample::report());
    assert!(text.contains("\\u{1b}[2J\\u{202e}"));
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()));
}

#[test]
fn conforming_run_takes_a_few_lines() {
    let text = text(&sample::conforming());
    assert!(text.lines().count() <= 8, "{text}");
    assert!(text.ends_with("2 cases: 2 passed. 6.042 s\n"), "{text}");
}

#[test]
fn thousand_failures_are_cut_and_counted() {
    let failed = sample::report().cases.remove(1);
    let report = sample::report_of(vec![failed; 1_000]);
    let text = text(&report);
    assert!(text.contains("… and 960 more; the HTML and the JSON report list all."));
    assert_eq!(text.matches("run it alone").count(), CASE_LIMIT);
}

#[test]
fn command_of_several_lines_stays_what_it_is() {
    let mut report = sample::report();
    let command =
        "curl --data-raw '{\n\"name\": \"two\nlines\"}' \\\n  https://staging.example.com";
    report.cases[1].exchanges[1].curl = command.to_owned();
    assert!(text(&report).contains(command));
}

#[test]
fn exempt_status_that_was_seen_is_printed_before_the_summary() {
    let mut report = sample::report();
    report.coverage.last_mut().unwrap().responses = 2;
    let text = text(&report);
    assert!(text.contains("detachCommissionLine 500: seen, although it is exempt"), "{text}");
}
