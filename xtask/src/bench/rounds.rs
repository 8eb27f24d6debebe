//! What all subjects share: builds, deployments with data, rounds in turn, the report.

use std::{path::Path, time::Duration};

use super::{
    comparison::{Comparison, Id, Measured},
    deployment::{Content, Deployment},
    http::HttpLoad,
    report::{Findings, Report, machine},
    run::{LoadProfile, Options, progress},
    stat::{Sample, megabytes},
};
use crate::{
    Result,
    program::{RELEASE, build},
    table::{Table, number},
};

/// Load before the first round of each server; pgbench has a warm-up of its own.
const WARM_UP: Duration = Duration::from_secs(1);

/// What `cargo xtask bench` can measure.
pub(crate) trait Subject: Sized {
    /// As on the command line.
    const NAME: &'static str;

    fn profile() -> LoadProfile;

    fn new(root: &Path, profile: &LoadProfile) -> Result<Self>;

    fn content(&self) -> Content;

    /// Prepares a deployment; returns what the requests need to know of it, such as a cursor.
    async fn prepare(&self, deployment: &Deployment) -> Result<String>;

    async fn measure(self, bench: &Bench) -> Result<Findings>;
}

#[derive(Debug)]
pub(crate) struct Bench {
    profile: LoadProfile,
    /// This build, then the baseline build where there is one.
    deployments: Vec<Deployment>,
}

/// One of several loads that take turns.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: Id,
    pub(crate) connections: usize,
    pub(crate) load: Load,
}

#[derive(Clone, Debug)]
pub(crate) enum Load {
    Http(HttpLoad),
    /// One load per round, each request of which is sent once.
    HttpOnce(Vec<HttpLoad>),
    /// A script of pgbench.
    Pgbench(String),
}

/// A candidate, the deployment that it loads, and its samples.
struct Turn<'a> {
    deployment: &'a Deployment,
    load: Load,
    measured: Measured,
}

pub(crate) async fn measure<S: Subject>(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(S::profile());
    let subject = S::new(root, &profile)?;
    progress("building payout-server in release mode");
    let mut programs = vec![build(root, &RELEASE, "--bin", "payout-server")?];
    let devdata = build(root, &RELEASE, "--bin", "payout-devdata")?;
    programs.extend(options.baseline.clone());
    let content = subject.content();
    let mut deployments: Vec<Deployment> = Vec::new();
    for program in &programs {
        progress(&format!("starting PostgreSQL and a server with {}", content.description));
        let mut deployment = Deployment::start(program, &programs[0], &devdata, &content).await?;
        deployment.is_baseline = !deployments.is_empty();
        deployment.prepared = subject.prepare(&deployment).await?;
        deployments.push(deployment);
    }
    let setting = format!(
        "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; {}.",
        deployments[0].query("SHOW server_version".to_owned()).await?,
        profile.rounds,
        profile.seconds,
        content.description
    );
    let findings = subject.measure(&Bench { profile, deployments }).await?;
    Ok(Report { subject: S::NAME, machine: machine(root), setting, findings })
}

impl Bench {
    /// That of this build.
    pub(crate) fn deployment(&self) -> &Deployment {
        &self.deployments[0]
    }

    /// A comparison for each number of connections of the load profile. The candidates depend on
    /// deployment, connections and earlier comparisons.
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
        let mut turns = self.turns(candidates);
        let (count, rounds) = (turns.len(), self.profile.rounds);
        progress(&format!("candidates: {count}, connections: {connections}, rounds: {rounds}"));
        for deployment in &self.deployments {
            deployment.settle().await?;
        }
        for Turn { load, measured, .. } in &turns {
            if let Load::Http(load) = load {
                load.run(measured.connections, Some(WARM_UP)).await?;
            }
        }
        let time = Duration::from_secs(self.profile.seconds);
        for round in 0..rounds {
            for turn in &mut turns {
                let sample = turn.run(round, time).await?;
                turn.measured.samples.push(sample);
            }
        }
        let measured: Vec<_> = turns.into_iter().map(|turn| turn.measured).collect();
        measured.iter().for_each(|measured| progress(&measured.summary()));
        Ok(Comparison { connections, measured })
    }

    /// Each candidate on this build, then on the baseline build; pgbench on this one alone.
    fn turns(&self, candidates: impl Fn(&Deployment) -> Vec<Candidate>) -> Vec<Turn<'_>> {
        let mut turns = Vec::new();
        for deployment in &self.deployments {
            for (index, candidate) in candidates(deployment).into_iter().enumerate() {
                let Candidate { id, connections, load } = candidate;
                let is_baseline = deployment.is_baseline;
                if !(is_baseline && matches!(load, Load::Pgbench(_))) {
                    let measured = Measured { id, connections, is_baseline, samples: Vec::new() };
                    turns.push((index, Turn { deployment, load, measured }));
                }
            }
        }
        // Stable: the baseline's follows this build's.
        turns.sort_by_key(|(index, _)| *index);
        turns.into_iter().map(|(_, turn)| turn).collect()
    }

    /// The peak memory of the servers so far: a table, and megabytes of this build.
    pub(crate) fn memory(&self) -> (Table, Option<f64>) {
        let peak = |deployment: &Deployment| deployment.meter.server_peak_bytes().map(megabytes);
        let rows = self.deployments.iter().map(|deployment| {
            let name = if deployment.is_baseline { "baseline server" } else { "server" };
            vec![name.to_owned(), number(peak(deployment), 1)]
        });
        let table = Table { columns: vec!["process", "peak MB"], rows: rows.collect() };
        (table, peak(self.deployment()))
    }
}

impl Turn<'_> {
    async fn run(&self, round: usize, time: Duration) -> Result<Sample> {
        let connections = self.measured.connections;
        let round = match &self.load {
            Load::Http(load) => load.run(connections, Some(time)).await?,
            Load::HttpOnce(loads) => loads[round].run(connections, None).await?,
            Load::Pgbench(script) => {
                let Deployment { pgbench, meter, .. } = self.deployment;
                let round = pgbench.run(script, connections, time, *meter).await?;
                return Ok(round.sample().without_server());
            }
        };
        Ok(round.sample())
    }
}
