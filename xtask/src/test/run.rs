//! Runs every chosen step, also after a failure, and prints a summary.

use std::{
    io::{self, Write as _},
    path::Path,
    time::Instant,
};

use super::{
    check::{Checked, Workspace},
    outcome::{Ended, Outcome, summary},
    step::Step,
};

/// Options of `cargo xtask test`.
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
        Step::ALL.into_iter().filter(move |step| chosen(step) && !self.skip.contains(step))
    }
}

/// Runs the chosen steps; `false` where one failed.
pub(crate) fn run(root: &Path, options: &Options) -> crate::Result<bool> {
    let workspace = Workspace::new(root);
    let steps: Vec<_> = options.steps().map(|step| run_step(&workspace, step)).collect();
    if let Err(error) = workspace.close() {
        // It stops with this process.
        anstream::eprintln!("the database of the tests did not stop: {error}");
    }
    anstream::println!("\n{}", summary(&steps).trim_end());
    let count =
        |wanted: fn(&Outcome) -> bool| steps.iter().filter(|ended| wanted(&ended.outcome)).count();
    match count(|outcome| matches!(outcome, Outcome::CouldNotRun(_))) {
        0 => Ok(count(|outcome| *outcome == Outcome::Failed) == 0),
        unable => {
            Err(format!("{unable} of the steps could not run; see their output above").into())
        }
    }
}

/// Runs a step and prints its result.
fn run_step(workspace: &Workspace<'_>, step: Step) -> Ended {
    anstream::println!("\n== {}: {}", step.name(), step.claim());
    // A closed pipe is reported by the next println.
    let _ = io::stdout().flush();
    let begun = Instant::now();
    let done = workspace.check(step);
    let (outcome, passed_tests) = match done {
        Ok(Checked::Done(done)) => {
            if !done.success {
                anstream::println!("{}", done.output.trim_end());
            }
            let outcome = match (done.success, done.unchecked) {
                (false, _) => Outcome::Failed,
                (true, None) => Outcome::Passed,
                (true, Some(unchecked)) => Outcome::PassedExcept(unchecked),
            };
            (outcome, done.passed_tests)
        }
        Ok(Checked::Skipped(reason)) => {
            anstream::println!("skipped: {reason}");
            (Outcome::Skipped(reason), 0)
        }
        Err(error) => {
            anstream::println!("could not run: {error}");
            (Outcome::CouldNotRun(error.to_string()), 0)
        }
    };
    let took = begun.elapsed();
    anstream::println!("   {:.1} s", took.as_secs_f32());
    Ended { step, outcome, took, passed_tests }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[Step], skip: &[Step]) -> Vec<Step> {
        let options = Options { only: only.to_vec(), skip: skip.to_vec() };
        options.steps().collect()
    }

    #[test]
    fn without_options_every_step_is_chosen() {
        assert_eq!(chosen(&[], &[]), Step::ALL);
    }

    #[test]
    fn only_and_skip_choose_in_the_usual_order() {
        assert_eq!(chosen(&[Step::Tests, Step::Format], &[]), [Step::Format, Step::Tests]);
        assert_eq!(chosen(&[Step::Tests, Step::Format], &[Step::Tests]), [Step::Format]);
        assert_eq!(chosen(&[], &[Step::Clippy, Step::Tests]).len(), Step::ALL.len() - 2);
    }
}
