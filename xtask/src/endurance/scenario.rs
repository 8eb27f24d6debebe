//! Runs one scenario with one seed as a process, and reads its stats.

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Stdio},
};

use crate::{Result, deployment::last_lines, program::output};

/// Variables that `server/tests/faults/support/scale.rs` reads.
const SCALE: &str = "PAYOUT_FAULT_SCALE";
const SEED: &str = "PAYOUT_FAULT_SEED";
/// Unit tests in the same program.
const TOOLS: &str = "support::";
const FIGURE: &str = "fault figure: ";
const LAST_LINES: usize = 40;

/// Sums and maxima of one scenario by their names.
pub(super) type Stats = BTreeMap<String, u64>;

pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) name: &'a str,
    pub(super) seed: u64,
    pub(super) scale: u64,
}

pub(super) fn list(program: &Path) -> Result<Vec<String>> {
    Ok(names(&output(Command::new(program).args(["--list", "--format", "terse"]))?))
}

impl Run<'_> {
    /// Runs it and adds its stats to those of earlier runs; returns the end of its output if an
    /// invariant was violated.
    pub(super) fn execute(&self, stats: &mut Stats) -> Result<Option<String>> {
        let output = Command::new(self.program)
            .args(["--exact", self.name, "--nocapture"])
            .env(SCALE, self.scale.to_string())
            .env(SEED, self.seed.to_string())
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{} cannot be run: {error}", self.program.display()))?;
        let [stdout, stderr] = [output.stdout, output.stderr].map(String::from_utf8);
        let (stdout, stderr) = (stdout?, stderr?);
        add_stats(&stdout, stats);
        let shown = if stderr.trim().is_empty() { stdout } else { stderr };
        Ok((!output.status.success()).then(|| last_lines(&shown, LAST_LINES)))
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

/// Lines of `revocation::no_request_passes: test`.
fn names(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    let names = names.filter(|name| !name.starts_with(TOOLS));
    names.map(str::to_owned).collect()
}

/// Adds sums to those of earlier runs, and keeps the larger one of maxima.
fn add_stats(output: &str, stats: &mut Stats) {
    for (kind, name, value) in output.lines().filter_map(stat) {
        let combined = stats.entry(name.to_owned()).or_default();
        *combined = if kind == "sum" { *combined + value } else { value.max(*combined) };
    }
}

/// Kind, name and value of `fault figure: sum: revocations: 100`; the line may begin with the
/// test's name.
fn stat(line: &str) -> Option<(&str, &str, u64)> {
    let (_, rest) = line.split_once(FIGURE)?;
    let (kind, rest) = rest.split_once(": ")?;
    let (name, value) = rest.rsplit_once(": ")?;
    Some((kind, name, value.parse().ok()?))
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
    fn sums_are_added_and_maxima_are_compared() {
        let mut stats = Stats::new();
        for value in [4, 9, 5] {
            let output = format!(
                "test revocation::a ... fault figure: sum: kills: {value}\n\
                 fault figure: max: slowest: ms: {value}\nfault figure: revocations"
            );
            add_stats(&output, &mut stats);
        }
        let expected = [("kills".to_owned(), 18), ("slowest: ms".to_owned(), 9)];
        assert_eq!(stats, Stats::from(expected));
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
        let mut stats = Stats::new();
        assert_eq!(run.execute(&mut stats).unwrap().as_deref(), Some("broken"));
        assert_eq!(stats, Stats::from([("x".to_owned(), 3)]));
    }
}
