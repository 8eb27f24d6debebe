//! Runs one scenario with one seed as a process, and parses its stats.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::run::EnduranceError;

/// Where the scenarios look for how long, and for the seed (`server/tests/faults/support/scale.rs`).
const SCALE: &str = "PAYOUT_FAULT_SCALE";
const SEED: &str = "PAYOUT_FAULT_SEED";
/// Tests of the scenarios' own tools.
const TOOLS: &str = "support::";
const FIGURE: &str = "fault figure: ";
const LAST_LINES: usize = 40;

/// A scenario that is to be run.
pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) name: &'a str,
    pub(super) seed: u64,
    pub(super) scale: u64,
}

/// How figures of several runs are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Added up.
    Sum,
    /// The largest stands for all.
    Most,
}

/// A figure that a scenario told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) value: u64,
}

/// A scenario that has ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) took: Duration,
    pub(super) figures: Vec<Figure>,
    /// What it said where it failed.
    pub(super) violation: Option<String>,
}

/// Every scenario, in the order of their names.
pub(super) fn list(program: &Path) -> Result<Vec<String>, EnduranceError> {
    let mut command = Command::new(program);
    command
        .args(["--list", "--format", "terse"])
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(program, error))?;
    Ok(names(&String::from_utf8_lossy(&output.stdout)))
}

impl Run<'_> {
    /// Runs it to its end.
    pub(super) fn carry_out(&self) -> Result<Ended, EnduranceError> {
        let begun = Instant::now();
        let output = Command::new(self.program)
            .args(["--exact", self.name, "--nocapture"])
            .env(SCALE, self.scale.to_string())
            .env(SEED, self.seed.to_string())
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(self.program, error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        Ok(Ended {
            name: self.name.to_owned(),
            seed: self.seed,
            took: begun.elapsed(),
            figures: text.lines().filter_map(figure).collect(),
            violation: (!output.status.success()).then(|| end_of(&said, &text)),
        })
    }

    /// What a person types to repeat it.
    pub(super) fn command(&self) -> String {
        format!(
            "{SCALE}={} {SEED}={} cargo test --release --workspace --test faults -- --exact {} --nocapture",
            self.scale, self.seed, self.name
        )
    }
}

fn failed(program: &Path, error: std::io::Error) -> EnduranceError {
    EnduranceError::Start(program.display().to_string(), error)
}

/// Lines of `revocation::no_request_passes: test`.
fn names(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    let names = names.filter(|name| !name.starts_with(TOOLS));
    names.map(str::to_owned).collect()
}

/// `fault figure: sum: revocations: 100`; the test runner may have begun the line with the test's name.
fn figure(line: &str) -> Option<Figure> {
    let (_, told) = line.split_once(FIGURE)?;
    let (kind, told) = told.split_once(": ")?;
    let (name, value) = told.rsplit_once(": ")?;
    let kind = match kind {
        "sum" => Kind::Sum,
        "most" => Kind::Most,
        _ => return None,
    };
    Some(Figure {
        kind,
        name: name.to_owned(),
        value: value.parse().ok()?,
    })
}

/// What it said last on standard error; where it said nothing there, on standard output.
fn end_of(said: &str, text: &str) -> String {
    let told = if said.trim().is_empty() { text } else { said };
    let lines: Vec<&str> = told.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_listed_without_the_tests_of_their_tools() {
        let text =
            "revocation::a: test\nsupport::accounts::tests::b: test\n\n2 tests, 0 benchmarks\n";
        assert_eq!(names(text), ["revocation::a"]);
    }

    #[test]
    fn figures_are_found_wherever_they_stand_in_a_line() {
        let line = "test revocation::a ... fault figure: sum: revocations: 100";
        let expected = Figure {
            kind: Kind::Sum,
            name: "revocations".to_owned(),
            value: 100,
        };
        assert_eq!(figure(line), Some(expected));
        assert_eq!(figure("fault figure: revocations"), None);
    }

    #[test]
    fn end_is_told_from_standard_error_first() {
        assert_eq!(end_of("a\nb\n", "c"), "a\nb");
        assert_eq!(end_of("", "c\n"), "c");
        assert_eq!(end_of(&"x\n".repeat(99), "").lines().count(), LAST_LINES);
    }

    #[test]
    fn command_repeats_seed_and_scale() {
        let run = Run {
            program: Path::new("/faults"),
            name: "month_end::a",
            seed: 7,
            scale: 10,
        };
        let command = run.command();
        assert!(
            command.starts_with("PAYOUT_FAULT_SCALE=10 PAYOUT_FAULT_SEED=7 cargo test --release")
        );
        assert!(command.ends_with("--exact month_end::a --nocapture"));
    }

    #[test]
    fn failing_process_is_a_violation_with_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("faults");
        std::fs::write(
            &program,
            "#!/bin/sh\necho 'fault figure: most: x: 3'\necho told >&2\nexit 101\n",
        )
        .unwrap();
        let mut permissions = std::fs::metadata(&program).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&program, permissions).unwrap();
        let run = Run {
            program: &program,
            name: "a",
            seed: 1,
            scale: 1,
        };
        let ended = run.carry_out().unwrap();
        assert_eq!(ended.violation.as_deref(), Some("told"));
        assert_eq!(ended.figures.len(), 1);
    }
}
