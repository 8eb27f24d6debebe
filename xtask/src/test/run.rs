//! The run: every chosen step in order, and a summary at the end.
//!
//! It refuses to stop at the first failing step: one run tells everything there is to mend.

use std::{
    io::{self, Write as _},
    path::Path,
    time::Instant,
};

use super::{
    check::{Checked, Place},
    outcome::{Ended, Outcome, summary},
    step::Step,
};

/// Which steps to run.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// Run this step alone; may be given several times.
    #[arg(long, value_name = "STEP", value_enum)]
    only: Vec<Step>,
    /// Leave this step out; may be given several times.
    #[arg(long, value_name = "STEP", value_enum)]
    skip: Vec<Step>,
}

impl Options {
    fn steps(&self) -> impl Iterator<Item = Step> {
        let chosen = |step: &Step| self.only.is_empty() || self.only.contains(step);
        Step::ALL
            .into_iter()
            .filter(move |step| chosen(step) && !self.skip.contains(step))
    }
}

/// A step could not run at all.
#[derive(Debug, thiserror::Error)]
#[error("{0} of the steps could not run; the reason stands at its headline above")]
pub(crate) struct CouldNotRun(usize);

/// Runs the chosen steps; `false` where there is something to mend.
///
/// # Errors
/// A step could not run.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, CouldNotRun> {
    let place = Place::new(root);
    let steps: Vec<_> = options.steps().map(|step| tell(&place, step)).collect();
    if let Err(error) = place.close() {
        // Everything was checked by then; what stays behind ends with this process.
        eprintln!("the database of the tests did not stop: {error}");
    }
    println!("\n{}", summary(&steps).trim_end());
    let count =
        |wanted: fn(&Outcome) -> bool| steps.iter().filter(|ended| wanted(&ended.outcome)).count();
    match count(|outcome| matches!(outcome, Outcome::CouldNotRun(_))) {
        0 => Ok(count(|outcome| *outcome == Outcome::Failed) == 0),
        unable => Err(CouldNotRun(unable)),
    }
}

/// Runs a step between its headline and its closing line.
fn tell(place: &Place<'_>, step: Step) -> Ended {
    println!("\n== {}: {}", step.name(), step.claim());
    // An error of a closed pipe shows at the next line.
    let _ = io::stdout().flush();
    let begun = Instant::now();
    let done = place.check(step);
    let (outcome, passed_tests) = match done {
        Ok(Checked::Done(done)) => {
            if !done.success {
                println!("{}", done.output.trim_end());
            }
            let outcome = match (done.success, done.unchecked) {
                (false, _) => Outcome::Failed,
                (true, None) => Outcome::Passed,
                (true, Some(unchecked)) => Outcome::PassedExcept(unchecked),
            };
            (outcome, done.passed_tests)
        }
        Ok(Checked::Skipped(reason)) => {
            println!("skipped: {reason}");
            (Outcome::Skipped(reason), 0)
        }
        Err(error) => {
            println!("could not run: {error}");
            (Outcome::CouldNotRun(error.to_string()), 0)
        }
    };
    let took = begun.elapsed();
    println!("   {:.1} s", took.as_secs_f32());
    Ended {
        step,
        outcome,
        took,
        passed_tests,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[Step], skip: &[Step]) -> Vec<Step> {
        let options = Options {
            only: only.to_vec(),
            skip: skip.to_vec(),
        };
        options.steps().collect()
    }

    #[test]
    fn without_options_every_step_is_chosen() {
        assert_eq!(chosen(&[], &[]), Step::ALL);
    }

    #[test]
    fn only_and_skip_choose_in_the_usual_order() {
        assert_eq!(
            chosen(&[Step::Tests, Step::Format], &[]),
            [Step::Format, Step::Tests]
        );
        assert_eq!(
            chosen(&[Step::Tests, Step::Format], &[Step::Tests]),
            [Step::Format]
        );
        assert_eq!(chosen(&[], &[Step::Clippy, Step::Tests]).len(), 7);
    }
}
