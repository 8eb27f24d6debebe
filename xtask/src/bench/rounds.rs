//! Builds programs, starts deployments with data, and runs rounds in turn, for every subject.

use std::{path::Path, time::Duration};

use super::{
    comparison::{Comparison, Id, Measured},
    deployment::{Content, Deployment},
    http::HttpLoad,
    report::{Findings, Report, machine},
    run::{LoadProfile, Options, progress},
    stat::Sample,
};
use crate::{
    Result,
    program::{RELEASE, build},
    table::{Table, number},
};

/// Load before the first round of each server; pgbench has a warm-up of its own.
const WARM_UP: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Bench {
    subject: &'static str,
    machine: String,
    /// Says how it is measured.
    setting: String,
    profile: LoadProfile,
    /// This build, then the baseline build where there is one.
    deployments: Vec<Deployment>,
}

/// One of several loads that take turns.
pub(crate) struct Candidate {
    id: Id,
    connections: usize,
    load: Load,
    /// Statements that a superuser runs before each round.
    restore: Option<String>,
}

pub(crate) enum Load {
    Http(HttpLoad),
    /// One load per round, each request of which is sent once.
    HttpOnce(Vec<HttpLoad>),
    /// The first load, for as long as the second one takes, each request of which is sent once.
    HttpBeside(HttpLoad, HttpLoad),
    /// A script of pgbench.
    Pgbench(String),
}

/// A candidate, the deployment that it loads, and its samples.
struct Turn<'a> {
    deployment: &'a Deployment,
    load: Load,
    restore: Option<String>,
    measured: Measured,
}

impl Candidate {
    pub(crate) fn new(id: Id, connections: usize, load: Load) -> Self {
        Self { id, connections, load, restore: None }
    }

    /// Each of its rounds begins with the data that these statements make.
    pub(crate) fn restored_by(self, statements: String) -> Self {
        Self { restore: Some(statements), ..self }
    }
}

impl Bench {
    /// Starts this build and the baseline with this content. `prepare` prepares a deployment, and
    /// returns what the requests need to know of it, such as a cursor.
    pub(crate) async fn start(
        (subject, root, options): (&'static str, &Path, &Options),
        profile: LoadProfile,
        content: Content,
        prepare: impl AsyncFn(&Deployment) -> Result<String>,
    ) -> Result<Self> {
        progress("building payout-server in release mode");
        let mut programs = vec![build(root, &RELEASE, "--bin", "payout-server")?];
        let devdata = build(root, &RELEASE, "--bin", "payout-devdata")?;
        programs.extend(options.baseline.clone());
        let mut deployments: Vec<Deployment> = Vec::new();
        for program in &programs {
            progress(&format!("starting PostgreSQL and a server with {}", content.description));
            let started = Deployment::start(program, &programs[0], &devdata, &content);
            let mut deployment = started.await?;
            deployment.is_baseline = !deployments.is_empty();
            deployment.prepared = prepare(&deployment).await?;
            deployments.push(deployment);
        }
        let setting = format!(
            "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; \
             {}.",
            deployments[0].query("SHOW server_version".to_owned()).await?,
            profile.rounds,
            profile.seconds,
            content.description
        );
        Ok(Self { subject, machine: machine(root), setting, profile, deployments })
    }

    pub(crate) fn report(self, findings: Findings) -> Report {
        Report { subject: self.subject, machine: self.machine, setting: self.setting, findings }
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
        for turn in turns.iter().filter(|turn| matches!(turn.load, Load::Http(_))) {
            turn.run(0, WARM_UP).await?;
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
                let Candidate { id, connections, load, restore } = candidate;
                let is_baseline = deployment.is_baseline;
                if !(is_baseline && matches!(load, Load::Pgbench(_))) {
                    let measured = Measured { id, connections, is_baseline, samples: Vec::new() };
                    turns.push((index, Turn { deployment, load, restore, measured }));
                }
            }
        }
        // Stable: the baseline's follows this build's.
        turns.sort_by_key(|(index, _)| *index);
        turns.into_iter().map(|(_, turn)| turn).collect()
    }

    /// The peak memory of the servers so far: a table, and megabytes of this build.
    pub(crate) fn memory(&self) -> (Table, Option<f64>) {
        let rows = self.deployments.iter().map(|deployment| {
            let name = if deployment.is_baseline { "baseline server" } else { "server" };
            vec![name.to_owned(), number(deployment.peak_megabytes(), 1)]
        });
        let table = Table { columns: vec!["process", "peak MB"], rows: rows.collect() };
        (table, self.deployments[0].peak_megabytes())
    }
}

impl Turn<'_> {
    async fn run(&self, round: usize, time: Duration) -> Result<Sample> {
        let (deployment, connections) = (self.deployment, self.measured.connections);
        if let Some(statements) = &self.restore {
            deployment.execute(statements).await?;
            deployment.settle().await?;
        }
        match &self.load {
            Load::Http(load) => Ok(load.run(connections, Some(time)).await?.sample()),
            Load::HttpOnce(loads) => Ok(loads[round].run(connections, None).await?.sample()),
            Load::HttpBeside(load, once) => Ok(load.run_beside(connections, once).await?.sample()),
            Load::Pgbench(script) => {
                let round = deployment.pgbench.run(script, connections, time, deployment.meter);
                Ok(round.await?.sample().without_server())
            }
        }
    }
}
