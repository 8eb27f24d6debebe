//! The command: build, start, judge as often as was asked, and say where the reports are.
//!
//! It refuses a server that was used before the command began: what others have spent must not fail a run.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use super::{
    judged::{Judged, RunError, Voice, judge},
    minute::wait_for_second,
    options::Options,
    stage::{Scene, Setting, Stage, StageError},
    summary::{Summary, seconds},
};
use crate::{
    cargo::{BuildError, Program, build},
    deployment::{DeploymentError, failed},
};

/// Reports of several runs, beside those of the last single one.
const RUNS_FOLDER: &str = "runs";

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConformanceError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Stage(#[from] StageError),
    #[error(transparent)]
    Reports(#[from] DeploymentError),
    #[error(transparent)]
    Run(#[from] RunError),
}

struct Proof<'a> {
    options: &'a Options,
    suite: PathBuf,
    reports: PathBuf,
    stage: Stage,
    summary: Summary,
}

/// Judges; `false` where some case ended otherwise than expected, or not as in another run, or a read-only run changed data.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, ConformanceError> {
    let server = build(root, Program::Debug("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;
    let suite = build(root, Program::Debug("payout-conformance"))?;
    let reports = options.reports.clone();
    let reports = reports.unwrap_or_else(|| root.join("target/conformance"));
    fs::create_dir_all(&reports).map_err(failed("make the folder of the reports"))?;
    let proof = Proof {
        options,
        suite,
        reports,
        stage: Stage::open(&server, &devdata, "conformance", 1)?,
        summary: Summary::default(),
    };
    if options.all_runs() == 1 {
        proof.single()
    } else {
        proof.several()
    }
}

impl Proof<'_> {
    /// One run, which speaks for itself.
    fn single(mut self) -> Result<bool, ConformanceError> {
        let scene = self.scene(1)?;
        self.begin();
        let read = self.reading(&scene, |proof| {
            let arguments = &proof.options.arguments;
            let run = judge(&scene, &proof.suite, arguments, &proof.reports, Voice::Own)?;
            Ok(vec![run])
        })?;
        read.into_iter().for_each(|run| self.summary.add(run));
        print!("{}", self.summary.read_only());
        for change in self.summary.written() {
            println!("WRITTEN     {change}");
        }
        eprintln!("reports: {}", self.reports.join("report.html").display());
        Ok(self.summary.holds())
    }

    /// All runs, each told in a line, and what they say together.
    fn several(mut self) -> Result<bool, ConformanceError> {
        let folder = self.reports.join(RUNS_FOLDER);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed("remove the reports of earlier runs"))?;
        }
        let mut number = 0;
        for server in 1..=self.options.servers() {
            let scene = self.scene(server)?;
            for time in 1..=self.options.times() {
                self.begin();
                let first = number + 1;
                number += self.options.together;
                let runs = self.reading(&scene, |proof| proof.together(&scene, first))?;
                for (run, number) in runs.into_iter().zip(first..) {
                    let is_first = time == 1 && self.options.together == 1;
                    let run = Judged { is_first, ..run };
                    tell(number, self.options.all_runs(), &run);
                    self.keep(number, &run)?;
                    self.summary.add(run);
                }
            }
            self.stage.close(scene)?;
        }
        print!("{}", self.summary.text());
        eprintln!("reports: {}", folder.display());
        Ok(self.summary.holds())
    }

    fn scene(&self, number: u32) -> Result<Scene, StageError> {
        let setting = Setting {
            latency: self.options.latency(),
            without_fixtures: self.options.without_fixtures,
            ..Setting::default()
        };
        self.stage.scene_in(&format!("judged_{number}"), setting)
    }

    fn begin(&self) {
        if let Some(second) = self.options.at_second {
            wait_for_second(second);
        }
    }

    /// Makes runs, and where they may only read, looks at the tables before and after.
    fn reading(
        &mut self,
        scene: &Scene,
        runs: impl FnOnce(&Self) -> Result<Vec<Judged>, ConformanceError>,
    ) -> Result<Vec<Judged>, ConformanceError> {
        if !self.options.is_read_only() {
            return runs(self);
        }
        let before = self.stage.business(scene)?;
        let made = runs(self)?;
        let after = self.stage.business(scene)?;
        self.summary.looked(before.tables(), before.changes(&after));
        Ok(made)
    }

    /// As many runs at once as were asked for.
    fn together(&self, scene: &Scene, first: u32) -> Result<Vec<Judged>, ConformanceError> {
        thread::scope(|scope| {
            let numbers = first..first + self.options.together;
            let runs: Vec<_> = numbers
                .map(|number| scope.spawn(move || self.one(scene, number)))
                .collect();
            let ended = runs.into_iter().map(|run| run.join());
            ended
                .map(|run| run.expect("a run does not panic"))
                .collect()
        })
    }

    fn one(&self, scene: &Scene, number: u32) -> Result<Judged, ConformanceError> {
        let folder = self.folder(number);
        fs::create_dir_all(&folder).map_err(failed("make the folder of a run's reports"))?;
        let arguments = &self.options.arguments;
        Ok(judge(scene, &self.suite, arguments, &folder, Voice::None)?)
    }

    /// Keeps the reports of the first run, and of each that went wrong: those of a hundred good ones say the same.
    fn keep(&self, number: u32, run: &Judged) -> Result<(), DeploymentError> {
        let is_good = run.cases.values().all(|ended| ended.is_expected);
        if is_good && number > 1 {
            let removed = fs::remove_dir_all(self.folder(number));
            removed.map_err(failed("remove a good run's reports"))?;
        }
        Ok(())
    }

    fn folder(&self, number: u32) -> PathBuf {
        self.reports.join(RUNS_FOLDER).join(number.to_string())
    }
}

fn tell(number: u32, all: u32, run: &Judged) {
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
    for (case, ended) in run.cases.iter().filter(|(_, ended)| !ended.is_expected) {
        eprintln!("  {}  {case}: {}", ended.verdict, ended.what);
    }
}
