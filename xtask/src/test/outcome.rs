//! Outcomes of steps, and their summary.

use std::{fmt::Write as _, time::Duration};

use super::step::Step;

/// The end of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// Passed; this part could not be checked.
    PassedExcept(String),
    Failed,
    /// Not run: an optional tool is missing.
    Skipped(String),
    /// Not run: something required is missing.
    CouldNotRun(String),
}

/// A step that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) step: Step,
    pub(crate) outcome: Outcome,
    pub(crate) took: Duration,
    pub(crate) passed_tests: u64,
}

/// One line per step.
pub(crate) fn summary(steps: &[Ended]) -> String {
    let mut text = String::new();
    for ended in steps {
        let name = ended.step.name();
        let seconds = ended.took.as_secs_f32();
        let result = match &ended.outcome {
            Outcome::Passed if ended.passed_tests > 0 => {
                format!("ok, {} tests", ended.passed_tests)
            }
            Outcome::Passed => "ok".to_owned(),
            Outcome::PassedExcept(unchecked) => format!("ok; NOT CHECKED: {unchecked}"),
            Outcome::Failed => {
                format!("FAILED, see above; `{}` repeats it", ended.step.repeat_command())
            }
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
            Outcome::CouldNotRun(reason) => {
                format!("COULD NOT RUN: {}", reason.lines().next().unwrap_or_default())
            }
        };
        writeln!(text, "{name:<8} {seconds:>7.1} s  {result}").expect("a String takes any text");
    }
    text
}

/// The tests that a line `test result: ok. 12 passed; …` counts.
pub(crate) fn passed_tests(line: &str) -> u64 {
    let counted = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "));
    let number = counted.and_then(|(_, counts)| counts.split_once(" passed"));
    number.and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_the_test_runner_are_counted() {
        assert_eq!(passed_tests("test result: ok. 12 passed; 0 failed; 0 ignored"), 12);
        assert_eq!(passed_tests("test result: FAILED. 3 passed; 1 failed"), 3);
        assert_eq!(passed_tests("test partners::lists ... ok"), 0);
    }

    #[test]
    fn summary_lists_every_step_and_the_command_to_repeat_it() {
        let ended = |step, outcome, passed_tests| Ended {
            step,
            outcome,
            took: Duration::from_millis(1_500),
            passed_tests,
        };
        let steps = [
            ended(Step::Format, Outcome::Failed, 0),
            ended(Step::Deny, Outcome::Skipped("cargo-deny is not installed".to_owned()), 0),
            ended(Step::Deny, Outcome::PassedExcept("advisories".to_owned()), 0),
            ended(Step::Tests, Outcome::Passed, 12),
        ];
        let expected = "format       1.5 s  FAILED, see above; `cargo fmt --all` repeats it\n\
                        deny         1.5 s  skipped: cargo-deny is not installed\n\
                        deny         1.5 s  ok; NOT CHECKED: advisories\n\
                        tests        1.5 s  ok, 12 tests\n";
        assert_eq!(summary(&steps), expected);
    }
}
