//! Runs scenario after scenario until the time is over, then the fuzz targets, then prints a table.
//! It goes on after a violation: the next seed may violate another invariant.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use clap::value_parser;

use super::{
    fuzz,
    scenario::{self, Run, Stats},
};
use crate::{
    Result,
    program::{RELEASE, build},
    table::{Table, count, seconds},
};

/// A pass over all scenarios takes about this many minutes per unit of scale.
const MINUTES_FOR_EACH_SCALE: u64 = 3;
const LARGEST_SCALE: u64 = 10;

/// Options of `cargo xtask endurance`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
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

impl Options {
    fn scale(&self) -> u64 {
        let fitting = (self.minutes / MINUTES_FOR_EACH_SCALE).clamp(1, LARGEST_SCALE);
        self.scale.unwrap_or(fitting)
    }
}

/// All runs of one scenario.
#[derive(Debug, Default)]
struct Scenario {
    name: String,
    runs: usize,
    violations: usize,
    took: Duration,
    stats: Stats,
}

/// Runs everything; `false` where an invariant was violated or a fuzz target found something.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    progress("building the server and the scenarios in release (some minutes the first time)");
    let program = build(root, &RELEASE, "--test", "faults")?;
    let names = chosen(scenario::list(&program)?, options.only.as_deref())?;
    let mut scenarios: Vec<Scenario> =
        names.into_iter().map(|name| Scenario { name, ..Scenario::default() }).collect();
    let deadline = Instant::now() + Duration::from_secs(60 * options.minutes);
    let mut violations = String::new();
    'passes: for seed in options.seed.. {
        for scenario in &mut scenarios {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break 'passes;
            }
            let (name, minutes) = (&scenario.name, left.as_secs() / 60);
            progress(&format!("{name}, seed {seed} ({minutes} minutes left)"));
            let run = Run { program: &program, name, seed, scale: options.scale() };
            let begun = Instant::now();
            let violation = run.execute(&mut scenario.stats)?;
            scenario.took += begun.elapsed();
            scenario.runs += 1;
            if let Some(violation) = violation {
                progress(&format!(
                    "VIOLATED: {name}\n{violation}\nto repeat it: {}",
                    run.command()
                ));
                violations += &format!("\nVIOLATED by {name} with seed {seed}:\n{violation}\n");
                scenario.violations += 1;
            }
        }
    }
    let (fuzzed, found) = fuzz::run(root, options.fuzz_seconds);
    anstream::println!("\n{}", table(&scenarios));
    anstream::print!("{violations}{fuzzed}");
    if violations.is_empty() {
        anstream::println!("No invariant was violated.");
    }
    Ok(violations.is_empty() && !found)
}

fn table(scenarios: &[Scenario]) -> String {
    let row = |scenario: &Scenario| {
        let stats = scenario.stats.iter().map(|(name, value)| format!("{name}: {value}"));
        let stats = match scenario.runs {
            0 => "DID NOT RUN: increase --minutes".to_owned(),
            _ => stats.collect::<Vec<_>>().join("; "),
        };
        vec![
            scenario.name.clone(),
            count(scenario.runs),
            seconds(scenario.took),
            count(scenario.violations),
            stats,
        ]
    };
    let columns = vec!["scenario", "runs", "seconds", "violations", "stats"];
    Table { columns, rows: scenarios.iter().map(row).collect() }.markdown()
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

pub(super) fn progress(message: &str) {
    anstream::eprintln!("endurance: {message}");
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn parse(line: &str) -> std::result::Result<Options, clap::Error> {
        let words = std::iter::once("endurance").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.options)
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
    fn scenario_that_did_not_run_is_reported() {
        let stats = Stats::from([("kills".to_owned(), 8), ("slowest".to_owned(), 9)]);
        let ran = Scenario { name: "a".to_owned(), runs: 2, stats, ..Scenario::default() };
        let text = table(&[ran, Scenario { name: "b".to_owned(), ..Scenario::default() }]);
        assert!(text.contains("| kills: 8; slowest: 9 "), "{text}");
        assert!(text.contains("| DID NOT RUN: increase --minutes |"), "{text}");
    }
}
