//! The command: builds, starts, runs the suite as often as requested, and prints where the reports
//! are.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    cells,
    options::Options,
    suite_run::{SuiteRun, run_suite},
    summary::Summary,
    test_bed::{TestBed, TestServer},
};
use crate::{
    Result,
    deployment::{failed, last_lines},
};

const MINUTE: Duration = Duration::from_secs(60);
/// Lines of the suite's output that are shown of a failed run.
const LAST_LINES: usize = 20;

/// The runs of one command.
struct Runs<'a> {
    options: &'a Options,
    /// Reports of a single run, or a folder for each of several.
    reports: PathBuf,
}

/// Runs the suite; `false` if a run failed or ended otherwise than another one, or a read-only run
/// changed data.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let reports = options.reports.clone();
    let mut reports = reports.unwrap_or_else(|| root.join("target/conformance"));
    if options.cells {
        return cells::run(root, options, &reports);
    }
    let bed = TestBed::open(root, "conformance", 1)?;
    let is_single = options.runs == 1;
    if !is_single {
        reports.push("runs");
        if reports.exists() {
            fs::remove_dir_all(&reports).map_err(failed("remove the reports of earlier runs"))?;
        }
    }
    let runs = Runs { options, reports };
    let summary = runs.all(&bed)?;
    if is_single {
        anstream::print!("{}", summary.tables());
        anstream::eprintln!("reports: {}", runs.reports.join("report.html").display());
    } else {
        anstream::print!("{}", summary.text());
        anstream::eprintln!("reports: {}", runs.reports.display());
    }
    Ok(summary.holds())
}

impl Runs<'_> {
    fn all(&self, bed: &TestBed) -> Result<Summary> {
        let Options { runs, fresh, .. } = *self.options;
        let flags = self.options.target_flags();
        let (servers, runs_of_each) = if fresh { (runs, 1) } else { (1, runs) };
        let mut summary = Summary::default();
        for number in 1..=servers {
            let server = bed.start(&format!("server_{number}"), &flags)?;
            for time in 1..=runs_of_each {
                if let Some(second) = self.options.at_second {
                    wait_for_second(second);
                }
                let before = self.options.is_read_only().then(|| server.tables()).transpose()?;
                let run = self.one(&server, (number - 1) * runs_of_each + time)?;
                if let Some(before) = before {
                    summary.add_comparison(before.len(), before.changes(&server.tables()?));
                }
                summary.runs.push(SuiteRun { is_first: time == 1, ..run });
            }
            server.close()?;
        }
        Ok(summary)
    }

    fn one(&self, server: &TestServer<'_>, number: u32) -> Result<SuiteRun> {
        let is_single = self.options.runs == 1;
        let mut reports = self.reports.clone();
        if !is_single {
            reports.push(number.to_string());
        }
        fs::create_dir_all(&reports).map_err(failed("make the folder of a run's reports"))?;
        let latency = format!("--latency-ms={}", self.options.latency_ms);
        let arguments = [&[latency], &*self.options.arguments].concat();
        let run = run_suite(server, &arguments, &reports, !is_single)?;
        if !is_single {
            self.report(number, &run);
            // The reports of further good runs say the same as those of the first.
            if run.failure.is_none() && number > 1 {
                fs::remove_dir_all(reports).map_err(failed("remove a good run's reports"))?;
            }
        }
        Ok(run)
    }

    /// Prints one of several runs.
    fn report(&self, number: u32, run: &SuiteRun) {
        let count = |verdict| run.cases.iter().filter(|case| case.verdict == verdict).count();
        anstream::eprintln!(
            "conformance: run {number}/{}: {} pass, {} skipped, {:.1} s",
            self.options.runs,
            count("pass"),
            count("skipped"),
            run.elapsed.as_secs_f32()
        );
        let unexpected = run.cases.iter().filter(|case| !case.is_expected);
        for case in unexpected.clone() {
            anstream::eprintln!("  {}  {}: {}", case.verdict, case.id, case.what());
        }
        if let Some(failure) = &run.failure
            && unexpected.count() == 0
        {
            anstream::eprintln!("  FAILED: {}", last_lines(failure, LAST_LINES));
        }
    }
}

/// Waits for this second of a UTC minute, with a message; one that has begun is waited for in the
/// next minute. Limits are counted by the minute, and its end is where a careless suite fails.
fn wait_for_second(second: u8) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let rest = until(second, now);
    anstream::eprintln!(
        "conformance: waiting {} s for second {second} of the minute",
        rest.as_secs()
    );
    thread::sleep(rest);
}

/// Returns the time until this second of a UTC minute begins; `now` is the time since 1970.
fn until(second: u8, now: Duration) -> Duration {
    let into = Duration::new(now.as_secs() % MINUTE.as_secs(), now.subsec_nanos());
    let wanted = Duration::from_secs(second.into());
    wanted.checked_sub(into).unwrap_or_else(|| wanted + MINUTE - into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_is_the_next_one_and_never_one_that_has_begun() {
        let at = |milliseconds: u64| Duration::from_millis(1_800_000_000_000 + milliseconds);
        for (second, milliseconds, rest) in [
            (55, 0, 55_000),
            (55, 54_250, 750),
            (55, 55_000, 0),
            (55, 55_001, 59_999),
            (0, 59_999, 1),
            (0, 0, 0),
        ] {
            assert_eq!(
                until(second, at(milliseconds)),
                Duration::from_millis(rest),
                "second {second} at {milliseconds} ms"
            );
        }
    }
}
