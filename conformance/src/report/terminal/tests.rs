//! Claims about the final text.
//!
//! They refuse colours in snapshots: what is painted says the same without.

use super::*;
use crate::report::sample;

#[test]
fn final_text_is_as_it_was_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("terminal", text(&sample::report(), Paint::plain())));
}

#[test]
fn failures_come_first_and_the_sum_last() {
    let text = text(&sample::report(), Paint::plain());
    assert!(text.starts_with("Failed: 3  "));
    let last = text.lines().last().unwrap();
    assert_eq!(
        last,
        "11 cases: 3 failed, 1 error, 1 inconclusive, 4 skipped, 2 passed; 5 otherwise than foreseen. 6.042 s"
    );
}

#[test]
fn stranger_cannot_steer_the_terminal() {
    let text = text(&sample::report(), Paint::plain());
    assert!(text.contains("\\u{1b}[2J\\u{202e}"));
    assert!(
        text.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
}

#[test]
fn conforming_run_is_told_in_a_few_lines() {
    let text = text(&sample::conforming(), Paint::plain());
    assert!(text.lines().count() <= 8, "{text}");
    assert!(text.ends_with("2 cases: 2 passed. 6.042 s\n"), "{text}");
}

#[test]
fn thousand_failures_are_cut_and_counted() {
    let failed = sample::report().cases.remove(1);
    let report = sample::report_of(vec![failed; 1_000]);
    let text = text(&report, Paint::plain());
    assert!(text.contains("… and 960 more; the HTML and the JSON report hold them all."));
    assert_eq!(text.matches("run it alone").count(), CASE_LIMIT);
}

#[test]
fn command_of_several_lines_stays_what_it_is() {
    let mut report = sample::report();
    let command =
        "curl --data-raw '{\n\"name\": \"two\nlines\"}' \\\n  https://staging.example.com";
    report.cases[1].exchanges[1].curl = command.to_owned();
    assert!(text(&report, Paint::plain()).contains(command));
}

#[test]
fn exempt_status_that_came_is_told_before_the_sum() {
    let mut report = sample::report();
    report.coverage.last_mut().unwrap().responses = 2;
    let text = text(&report, Paint::plain());
    assert!(
        text.contains("detachCommissionLine 500: it came, although it is exempt"),
        "{text}"
    );
}
