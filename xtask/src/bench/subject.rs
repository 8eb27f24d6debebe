//! What all subjects share: build, deployments with data, rounds in turn, the report.

use std::{path::Path, time::Duration};

use serde_json::Value;

use super::{
    candidate::{Candidate, Load, Sample},
    comparison::{Comparison, Measured},
    deployment::Deployment,
    http::Until,
    load_profile::{Defaults, LoadProfile},
    machine::machine,
    pgbench,
    report::{Cell, Goal, Report, Table},
    run::{Options, progress},
    stat::megabytes,
};
use crate::{
    Result,
    program::{Program, build},
};

/// Load before the first round of each server; pgbench has a warm-up of its own.
const WARM_UP: Duration = Duration::from_secs(1);

/// What `cargo xtask bench` can measure.
pub(crate) trait Subject: Sized {
    /// As on the command line.
    const NAME: &'static str;
    const DEFAULTS: Defaults;

    fn new(root: &Path, profile: &LoadProfile) -> Result<Self>;

    fn content(&self) -> Content;

    /// Prepares a deployment; returns what the requests need to know of it, such as a cursor.
    async fn prepare(&self, deployment: &Deployment) -> Result<String>;

    async fn measure(self, bench: &Bench) -> Result<Findings>;
}

#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// For people.
    pub(crate) description: &'static str,
    /// A file for `payout-devdata import`.
    pub(crate) data: Value,
    /// Commission lines that `payout-devdata generate` adds to the first organisation.
    pub(crate) lines: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) tables: Vec<Table>,
    pub(crate) goals: Vec<Goal>,
}

#[derive(Debug)]
pub(crate) struct Bench {
    profile: LoadProfile,
    /// This build, then the baseline build where there is one.
    deployments: Vec<Deployment>,
}

/// A candidate and the deployment that it loads.
struct Turn<'a> {
    deployment: &'a Deployment,
    candidate: Candidate,
}

pub(crate) async fn measure<S: Subject>(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.load_profile.resolve(S::DEFAULTS);
    let subject = S::new(root, &profile)?;
    progress("building payout-server in release mode");
    let mut programs = vec![build(root, Program::Released("payout-server"))?];
    let devdata = build(root, Program::Released("payout-devdata"))?;
    programs.extend(options.baseline.clone());
    let content = subject.content();
    let mut deployments: Vec<Deployment> = Vec::new();
    for program in programs {
        progress(&format!("starting PostgreSQL and a server with {}", content.description));
        let mut deployment = Deployment::start(&program, &devdata, &content).await?;
        deployment.is_baseline = !deployments.is_empty();
        deployment.prepared = subject.prepare(&deployment).await?;
        deployments.push(deployment);
    }
    let setting = format!(
        "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; {}.",
        deployments[0].postgres_version().await?,
        profile.rounds,
        profile.time.as_secs(),
        content.description
    );
    let bench = Bench { profile, deployments };
    let findings = subject.measure(&bench).await?;
    Ok(Report { subject: S::NAME, machine: machine(root), setting, findings })
}

impl Bench {
    /// A comparison for each number of connections of the load profile.
    pub(crate) async fn compare_all(
        &self,
        candidates: impl Fn(&Deployment, usize, &[Comparison]) -> Vec<Candidate>,
    ) -> Result<Vec<Comparison>> {
        let mut comparisons = Vec::new();
        for &connections in &self.profile.connections {
            let candidates = |target: &Deployment| candidates(target, connections, &comparisons);
            let comparison = self.compare(connections, candidates).await?;
            comparisons.push(comparison);
        }
        Ok(comparisons)
    }

    /// Lets candidates take turns: A B C A B C …, each server beside its baseline.
    pub(crate) async fn compare(
        &self,
        connections: usize,
        candidates: impl Fn(&Deployment) -> Vec<Candidate>,
    ) -> Result<Comparison> {
        let turns = self.turns(candidates);
        let (count, rounds) = (turns.len(), self.profile.rounds);
        progress(&format!("candidates: {count}, connections: {connections}, rounds: {rounds}"));
        for deployment in &self.deployments {
            deployment.settle().await?;
        }
        for turn in &turns {
            if let Load::Http(load) = &turn.candidate.load {
                load.run(Until::Elapsed(WARM_UP), turn.deployment.meter()).await?;
            }
        }
        let mut measured: Vec<_> = turns.iter().map(Turn::without_samples).collect();
        for round in 0..rounds as usize {
            for (turn, measured) in turns.iter().zip(&mut measured) {
                measured.samples.push(turn.run(round, self.profile.time).await?);
            }
        }
        measured.iter().for_each(|measured| progress(&measured.summary()));
        Ok(Comparison { connections, measured })
    }

    fn turns(&self, candidates: impl Fn(&Deployment) -> Vec<Candidate>) -> Vec<Turn<'_>> {
        let by_deployment = self.deployments.iter().map(|deployment| {
            let candidates = candidates(deployment).into_iter().enumerate();
            candidates.map(move |(index, candidate)| (index, Turn { deployment, candidate }))
        });
        let mut turns: Vec<_> = by_deployment.flatten().collect();
        turns.retain(|(_, turn)| !(turn.deployment.is_baseline && turn.is_pgbench()));
        // Stable: the baseline's follows this build's.
        turns.sort_by_key(|(index, _)| *index);
        turns.into_iter().map(|(_, turn)| turn).collect()
    }

    /// The peak memory of the servers so far: a table, and megabytes of this build.
    pub(crate) fn memory(&self) -> (Table, Option<f64>) {
        let peak = |deployment: &Deployment| deployment.meter().server_peak_bytes().map(megabytes);
        let rows = self.deployments.iter().map(|deployment| {
            let name = if deployment.is_baseline { "baseline server" } else { "server" };
            vec![Cell::text(name), Cell::number(peak(deployment), 1)]
        });
        let table =
            Table { title: "Memory", columns: vec!["process", "peak MB"], rows: rows.collect() };
        (table, peak(&self.deployments[0]))
    }
}

impl Turn<'_> {
    async fn run(&self, round: usize, time: Duration) -> Result<Sample> {
        let meter = self.deployment.meter();
        let run = match &self.candidate.load {
            Load::Http(load) => load.run(Until::Elapsed(time), meter).await?,
            Load::HttpOnce(loads) => loads[round].run(Until::AllSent, meter).await?,
            Load::Pgbench(script) => {
                let run = pgbench::run(self.deployment.pgbench(), script, time, meter).await?;
                return Ok(Sample::of_pgbench(&run));
            }
        };
        Ok(Sample::of_http(&run))
    }

    fn is_pgbench(&self) -> bool {
        matches!(self.candidate.load, Load::Pgbench(_))
    }

    fn without_samples(&self) -> Measured {
        Measured {
            id: self.candidate.id,
            connections: match &self.candidate.load {
                Load::Http(load) => load.connections,
                Load::HttpOnce(loads) => loads[0].connections,
                Load::Pgbench(script) => script.connections,
            },
            is_baseline: self.deployment.is_baseline,
            samples: Vec::new(),
        }
    }
}
