//! Runs scenario after scenario of `server/tests/faults` until the time is over, then the fuzz
//! targets. It goes on after a violation: the next seed may violate another invariant.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::value_parser;

use super::{fuzz, progress};
use crate::{
    Result,
    deployment::last_lines,
    program::{RELEASE, build, output},
};

/// Variables that `server/tests/faults/support/scale.rs` reads.
const SCALE: &str = "PAYOUT_FAULT_SCALE";
const SEED: &str = "PAYOUT_FAULT_SEED";
/// Unit tests in the same program.
const SUPPORT: &str = "support::";
const LAST_LINES: usize = 40;
/// A pass over all scenarios takes about this many minutes per unit of scale.
const MINUTES_FOR_EACH_SCALE: u64 = 3;
const LARGEST_SCALE: u64 = 10;

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Scenarios {
    /// Minutes of scenarios; a running scenario is finished.
    #[arg(long, default_value_t = 30, value_parser = value_parser!(u64).range(1..=10_080))]
    #[arg(value_name = "MINUTES")]
    minutes: u64,
    /// Seed of the first pass; each further pass uses the next one.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// Length of each scenario, as a multiple of that in `cargo xtask test`
    /// [default: 1 to 10, depending on the minutes].
    #[arg(long, value_parser = value_parser!(u64).range(1..=100), value_name = "TIMES")]
    scale: Option<u64>,
    /// Only scenarios whose name contains this.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// Seconds of each fuzz target after the scenarios; 0 skips them.
    #[arg(long, default_value_t = 60, value_parser = value_parser!(u64).range(0..=86_400))]
    #[arg(value_name = "SECONDS")]
    fuzz_seconds: u64,
}

impl Scenarios {
    fn scale(&self) -> u64 {
        let fitting = (self.minutes / MINUTES_FOR_EACH_SCALE).clamp(1, LARGEST_SCALE);
        self.scale.unwrap_or(fitting)
    }
}

/// Runs everything; `false` where an invariant was violated or a fuzz target found something.
pub(super) fn run(root: &Path, options: &Scenarios) -> Result<bool> {
    progress("building the server and the scenarios in release (some minutes the first time)");
    let program = build(root, &RELEASE, "--test", "faults")?;
    let listed = output(Command::new(&program).args(["--list", "--format", "terse"]))?;
    let scenarios = chosen(names(&listed), options.only.as_deref())?;
    let deadline = Instant::now() + Duration::from_secs(60 * options.minutes);
    let (mut runs, mut violations) = (0, Vec::new());
    for seed in options.seed.. {
        for name in &scenarios {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return finish(root, options, (runs, scenarios.len()), &violations);
            }
            progress(&format!("{name}, seed {seed} ({} minutes left)", left.as_secs() / 60));
            if let Some(violation) = execute(&program, name, seed, options.scale())? {
                progress(&violation);
                violations.push(violation);
            }
            runs += 1;
        }
    }
    unreachable!("there are more seeds than time");
}

/// Runs one scenario, which prints its figures; returns how to repeat it if an invariant was
/// violated.
fn execute(program: &Path, name: &str, seed: u64, scale: u64) -> Result<Option<String>> {
    let output = Command::new(program)
        .args(["--exact", name, "--nocapture"])
        .env(SCALE, scale.to_string())
        .env(SEED, seed.to_string())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    anstream::println!("{}", stdout.trim());
    let shown = if stderr.trim().is_empty() { stdout } else { stderr };
    Ok((!output.status.success()).then(|| {
        format!(
            "VIOLATED by {name} with seed {seed}:\n{}\nto repeat it: {SCALE}={scale} {SEED}={seed} \
             cargo test --release --workspace --test faults -- --exact {name} --nocapture",
            last_lines(&shown, LAST_LINES)
        )
    }))
}

fn finish(
    root: &Path,
    options: &Scenarios,
    (runs, scenarios): (usize, usize),
    violations: &[String],
) -> Result<bool> {
    let (fuzzed, found) = fuzz::run(root, options.fuzz_seconds);
    anstream::println!("\n{}\n{fuzzed}", violations.join("\n"));
    anstream::println!("{runs} runs of {scenarios} scenarios, {} violations", violations.len());
    if runs < scenarios {
        anstream::println!("{} scenarios DID NOT RUN: increase --minutes", scenarios - runs);
    }
    Ok(violations.is_empty() && !found)
}

/// The scenarios in lines of `revocation::no_request_passes: test`.
fn names(listed: &str) -> Vec<String> {
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    names.filter(|name| !name.starts_with(SUPPORT)).map(str::to_owned).collect()
}

fn chosen(names: Vec<String>, part: Option<&str>) -> Result<Vec<String>> {
    let Some(part) = part else {
        return Ok(names);
    };
    let fitting: Vec<String> = names.iter().filter(|name| name.contains(part)).cloned().collect();
    if fitting.is_empty() {
        let all = names.join("\n  ");
        return Err(format!("no scenario has {part:?} in its name; there are:\n  {all}").into());
    }
    Ok(fitting)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> std::result::Result<Scenarios, clap::Error> {
        crate::options(line)
    }

    #[test]
    fn longer_runs_have_longer_scenarios() {
        let scale = |line| parse(line).unwrap().scale();
        assert_eq!(scale(""), 10);
        assert_eq!(scale("--minutes 1"), 1);
        assert_eq!(scale("--minutes 15"), 5);
        assert_eq!(scale("--minutes 600"), 10);
        assert_eq!(scale("--minutes 600 --scale 40"), 40);
    }

    #[test]
    fn nothing_to_run_is_an_error() {
        assert!(parse("--minutes 0").is_err());
        let names = || vec!["revocation::a".to_owned(), "month_end::b".to_owned()];
        assert_eq!(chosen(names(), Some("month")).unwrap(), ["month_end::b"]);
        assert_eq!(chosen(names(), None).unwrap().len(), 2);
        let error = chosen(names(), Some("year")).unwrap_err().to_string();
        assert!(error.contains("revocation::a"), "{error}");
    }

    #[test]
    fn scenarios_are_listed_without_the_tests_of_their_support() {
        let listed = "revocation::a: test\nsupport::accounts::tests::b: test\n\n2 tests\n";
        assert_eq!(names(listed), ["revocation::a"]);
    }

    #[test]
    fn failing_process_is_a_violation_with_the_command_that_repeats_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("faults");
        std::fs::write(&program, "#!/bin/sh\necho broken >&2\nexit 101\n").unwrap();
        let mut permissions = std::fs::metadata(&program).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&program, permissions).unwrap();
        let violation = execute(&program, "month_end::a", 7, 10).unwrap().unwrap();
        assert!(violation.contains("\nbroken\n"), "{violation}");
        let command = "PAYOUT_FAULT_SCALE=10 PAYOUT_FAULT_SEED=7 cargo test --release --workspace \
                       --test faults -- --exact month_end::a --nocapture";
        assert!(violation.ends_with(command), "{violation}");
    }
}
