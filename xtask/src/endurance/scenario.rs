//! Runs one scenario with one seed as a process, and parses its stats.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::Result;

/// Variables that `server/tests/faults/support/scale.rs` reads.
const SCALE: &str = "PAYOUT_FAULT_SCALE";
const SEED: &str = "PAYOUT_FAULT_SEED";
/// Unit tests in the same program.
const TOOLS: &str = "support::";
const FIGURE: &str = "fault figure: ";
const LAST_LINES: usize = 40;

pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) name: &'a str,
    pub(super) seed: u64,
    pub(super) scale: u64,
}

/// How stats of several runs are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sum,
    Max,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) value: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) took: Duration,
    pub(super) stats: Vec<Stat>,
    /// The end of its output, if it failed.
    pub(super) violation: Option<String>,
}

pub(super) fn list(program: &Path) -> Result<Vec<String>> {
    let mut command = Command::new(program);
    command.args(["--list", "--format", "terse"]).stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(program, error))?;
    Ok(names(&String::from_utf8_lossy(&output.stdout)))
}

impl Run<'_> {
    pub(super) fn execute(&self) -> Result<Ended> {
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
        let stderr = String::from_utf8_lossy(&output.stderr);
        Ok(Ended {
            name: self.name.to_owned(),
            seed: self.seed,
            took: begun.elapsed(),
            stats: text.lines().filter_map(stat).collect(),
            violation: (!output.status.success()).then(|| end_of(&stderr, &text)),
        })
    }

    /// The command that repeats it.
    pub(super) fn command(&self) -> String {
        format!(
            "{SCALE}={} {SEED}={} cargo test --release --workspace --test faults -- --exact {} \
             --nocapture",
            self.scale, self.seed, self.name
        )
    }
}

fn failed(program: &Path, error: std::io::Error) -> String {
    format!("{} cannot be run: {error}", program.display())
}

/// Lines of `revocation::no_request_passes: test`.
fn names(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    let names = names.filter(|name| !name.starts_with(TOOLS));
    names.map(str::to_owned).collect()
}

/// `fault figure: sum: revocations: 100`; the line may begin with the test's name.
fn stat(line: &str) -> Option<Stat> {
    let (_, rest) = line.split_once(FIGURE)?;
    let (kind, rest) = rest.split_once(": ")?;
    let (name, value) = rest.rsplit_once(": ")?;
    let kind = match kind {
        "sum" => Kind::Sum,
        "max" => Kind::Max,
        _ => return None,
    };
    Some(Stat { kind, name: name.to_owned(), value: value.parse().ok()? })
}

/// The last lines of standard error; if that is empty, of standard output.
fn end_of(stderr: &str, stdout: &str) -> String {
    let output = if stderr.trim().is_empty() { stdout } else { stderr };
    let lines: Vec<&str> = output.trim_end().lines().collect();
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
    fn stats_are_found_anywhere_in_a_line() {
        let line = "test revocation::a ... fault figure: sum: revocations: 100";
        let expected = Stat { kind: Kind::Sum, name: "revocations".to_owned(), value: 100 };
        assert_eq!(stat(line), Some(expected));
        assert_eq!(stat("fault figure: revocations"), None);
    }

    #[test]
    fn end_is_that_of_standard_error_first() {
        assert_eq!(end_of("a\nb\n", "c"), "a\nb");
        assert_eq!(end_of("", "c\n"), "c");
        assert_eq!(end_of(&"x\n".repeat(99), "").lines().count(), LAST_LINES);
    }

    #[test]
    fn command_repeats_seed_and_scale() {
        let run = Run { program: Path::new("/faults"), name: "month_end::a", seed: 7, scale: 10 };
        let command = run.command();
        assert!(
            command.starts_with("PAYOUT_FAULT_SCALE=10 PAYOUT_FAULT_SEED=7 cargo test --release")
        );
        assert!(command.ends_with("--exact month_end::a --nocapture"));
    }

    #[test]
    fn failing_process_is_a_violation_with_its_output() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("faults");
        std::fs::write(
            &program,
            "#!/bin/sh\necho 'fault figure: max: x: 3'\necho broken >&2\nexit 101\n",
        )
        .unwrap();
        let mut permissions = std::fs::metadata(&program).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&program, permissions).unwrap();
        let run = Run { program: &program, name: "a", seed: 1, scale: 1 };
        let ended = run.execute().unwrap();
        assert_eq!(ended.violation.as_deref(), Some("broken"));
        assert_eq!(ended.stats.len(), 1);
    }
}
