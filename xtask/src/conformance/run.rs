//! The command: builds, starts, judges as often as requested, and prints where the reports are.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use super::{
    judged::{Judged, judge},
    minute::wait_for_second,
    options::Options,
    stage::{Scene, Setting, Stage},
    summary::{Summary, seconds},
};
use crate::{
    Result,
    deployment::failed,
    program::{Program, build},
};

struct Proof<'a> {
    options: &'a Options,
    suite: PathBuf,
    /// Reports of a single run, or a folder for each of several.
    reports: PathBuf,
    stage: Stage,
}

/// Judges; `false` if a case ended otherwise than expected or than in another run, or a read-only
/// run changed data.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let built = |name| build(root, Program::Debug(name));
    let (server, devdata) = (built("payout-server")?, built("payout-devdata")?);
    let reports = options.reports.clone();
    let mut reports = reports.unwrap_or_else(|| root.join("target/conformance"));
    let is_single = options.all_runs() == 1;
    if !is_single {
        reports.push("runs");
        if reports.exists() {
            fs::remove_dir_all(&reports).map_err(failed("remove the reports of earlier runs"))?;
        }
    }
    fs::create_dir_all(&reports).map_err(failed("make the folder of the reports"))?;
    let proof = Proof {
        options,
        suite: built("payout-conformance")?,
        reports,
        stage: Stage::open(&server, &devdata, "conformance", 1)?,
    };
    let summary = proof.all()?;
    if is_single {
        print!("{}", summary.tables());
        eprintln!("reports: {}", proof.reports.join("report.html").display());
    } else {
        print!("{}", summary.text());
        eprintln!("reports: {}", proof.reports.display());
    }
    Ok(summary.holds())
}

impl Proof<'_> {
    fn all(&self) -> Result<Summary> {
        let mut summary = Summary::default();
        let mut number = 0;
        for server in 1..=self.options.servers() {
            let setting = Setting {
                latency: self.options.latency(),
                without_fixtures: self.options.without_fixtures,
                ..Setting::default()
            };
            let scene = self.stage.scene_in(&format!("judged_{server}"), setting)?;
            for time in 1..=self.options.times() {
                if let Some(second) = self.options.at_second {
                    wait_for_second(second);
                }
                let first = number + 1;
                number += self.options.together;
                let runs = self.reading(&mut summary, &scene, || self.together(&scene, first))?;
                for (run, number) in runs.into_iter().zip(first..) {
                    let is_first = time == 1 && self.options.together == 1;
                    let run = Judged { is_first, ..run };
                    self.finish(number, &run)?;
                    summary.add(run);
                }
            }
            self.stage.close(scene)?;
        }
        Ok(summary)
    }

    /// Makes runs; if they may only read, compares the tables before and after.
    fn reading(
        &self,
        summary: &mut Summary,
        scene: &Scene,
        runs: impl FnOnce() -> Result<Vec<Judged>>,
    ) -> Result<Vec<Judged>> {
        if !self.options.is_read_only() {
            return runs();
        }
        let before = self.stage.business(scene)?;
        let made = runs()?;
        let after = self.stage.business(scene)?;
        summary.looked(before.tables(), before.changes(&after));
        Ok(made)
    }

    /// As many runs at the same time as requested.
    fn together(&self, scene: &Scene, first: u32) -> Result<Vec<Judged>> {
        thread::scope(|scope| {
            let numbers = first..first + self.options.together;
            let runs: Vec<_> =
                numbers.map(|number| scope.spawn(move || self.one(scene, number))).collect();
            let ended = runs.into_iter().map(|run| run.join());
            ended.map(|run| run.expect("a run does not panic")).collect()
        })
    }

    fn one(&self, scene: &Scene, number: u32) -> Result<Judged> {
        let folder = self.folder(number);
        fs::create_dir_all(&folder).map_err(failed("make the folder of a run's reports"))?;
        let is_quiet = self.options.all_runs() > 1;
        judge(scene, &self.suite, &self.options.arguments, &folder, is_quiet)
    }

    /// Prints one of several runs, and keeps its reports if it is the first or has failed: those of
    /// all others say the same.
    fn finish(&self, number: u32, run: &Judged) -> Result<()> {
        let all = self.options.all_runs();
        if all == 1 {
            return Ok(());
        }
        let count = |verdict: &str| {
            let ended = run.cases.values();
            ended.filter(|ended| ended.verdict == verdict).count()
        };
        eprintln!(
            "conformance: run {number}/{all}: {} pass, {} skipped, {} s",
            count("pass"),
            count("skipped"),
            seconds(run.elapsed)
        );
        let unexpected = run.cases.iter().filter(|(_, ended)| !ended.is_expected);
        for (case, ended) in unexpected.clone() {
            eprintln!("  {}  {case}: {}", ended.verdict, ended.what);
        }
        if unexpected.count() == 0 && number > 1 {
            let removed = fs::remove_dir_all(self.folder(number));
            removed.map_err(failed("remove a good run's reports"))?;
        }
        Ok(())
    }

    fn folder(&self, number: u32) -> PathBuf {
        match self.options.all_runs() {
            1 => self.reports.clone(),
            _ => self.reports.join(number.to_string()),
        }
    }
}
