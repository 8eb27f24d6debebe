//! What all subjects share: build, deployments with data, rounds in turn, the report.

use std::{path::Path, time::Duration};

use serde_json::Value;

use super::{
    candidate::{Candidate, Id, Load, Sample},
    comparison::{Comparison, Measured},
    deployment::Deployment,
    http::{HttpLoad, Until},
    load_profile::{Defaults, LoadProfile},
    machine::Machine,
    pgbench,
    report::{Cell, Goal, Report, Table},
    run::{BenchError, Options, progress},
    stat::megabytes,
};
use crate::cargo::{Program, build};

/// Load before the first round of each server; pgbench has a warm-up of its own.
const WARM_UP: Duration = Duration::from_secs(1);

/// What `cargo xtask bench` can measure.
pub(crate) trait Subject: Sized {
    /// As on the command line.
    const NAME: &'static str;
    const DEFAULTS: Defaults;
    /// What the requests need to know of one deployment, such as a cursor.
    type Prepared;

    fn new(root: &Path, profile: &LoadProfile) -> Result<Self, BenchError>;

    fn content(&self) -> Content;

    /// Prepares a deployment before anything is measured.
    async fn prepare(&self, deployment: &Deployment) -> Result<Self::Prepared, BenchError>;

    async fn measure(self, bench: &Bench<Self>) -> Result<Findings, BenchError>;
}

/// What a deployment contains at its start.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// For people.
    pub(crate) description: &'static str,
    /// A file for `payout-server import`.
    pub(crate) data: Value,
    /// Commission lines that `payout-server seed` adds to the first organisation.
    pub(crate) lines: Option<u32>,
}

/// What a subject measured.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) tables: Vec<Table>,
    pub(crate) goals: Vec<Goal>,
    /// How to read the tables.
    pub(crate) reading: Vec<&'static str>,
}

/// A running bench.
pub(crate) struct Bench<S: Subject> {
    pub(crate) profile: LoadProfile,
    target: Target<S>,
    baseline: Option<Target<S>>,
}

/// A deployment with the subject's data.
pub(crate) struct Target<S: Subject> {
    pub(crate) deployment: Deployment,
    pub(crate) prepared: S::Prepared,
}

/// A candidate and the deployment that it loads.
struct Turn<'a> {
    deployment: &'a Deployment,
    is_baseline: bool,
    candidate: Candidate,
}

/// Measures one subject.
pub(crate) async fn measure<S: Subject>(
    root: &Path,
    options: &Options,
) -> Result<Report, BenchError> {
    let profile = options.load_profile.resolve(S::DEFAULTS);
    let subject = S::new(root, &profile)?;
    progress("building payout-server in release mode");
    let server = build(root, Program::Released("payout-server"))?;
    let content = subject.content();
    let start = async |program: &Path| {
        progress(&format!(
            "starting PostgreSQL and the server with {}",
            content.description
        ));
        let deployment = Deployment::start(program, &content).await?;
        let prepared = subject.prepare(&deployment).await?;
        deployment.settle().await?;
        Ok::<_, BenchError>(Target {
            deployment,
            prepared,
        })
    };
    let target = start(&server).await?;
    let baseline = match &options.baseline {
        Some(program) => Some(start(program).await?),
        None => None,
    };
    let setting = format!(
        "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; {}.",
        target.deployment.postgres_version(),
        profile.rounds,
        profile.time.as_secs(),
        content.description
    );
    let bench = Bench {
        profile,
        target,
        baseline,
    };
    let findings = subject.measure(&bench).await?;
    Ok(Report {
        subject: S::NAME,
        machine: Machine::this(root),
        setting,
        findings,
    })
}

impl<S: Subject> Bench<S> {
    /// This build, then the baseline build where there is one.
    fn targets(&self) -> impl Iterator<Item = (bool, &Target<S>)> {
        let baseline = self.baseline.iter().map(|target| (true, target));
        std::iter::once((false, &self.target)).chain(baseline)
    }

    /// A comparison for each number of connections of the load profile.
    pub(crate) async fn compare_all(
        &self,
        candidates: impl Fn(&Target<S>, usize, &[Comparison]) -> Vec<Candidate>,
    ) -> Result<Vec<Comparison>, BenchError> {
        let mut comparisons = Vec::new();
        for &connections in &self.profile.connections {
            let candidates = |target: &Target<S>| candidates(target, connections, &comparisons);
            let comparison = self.compare(connections, candidates).await?;
            comparisons.push(comparison);
        }
        Ok(comparisons)
    }

    /// Lets candidates take turns: A B C A B C …, each server beside its baseline.
    pub(crate) async fn compare(
        &self,
        connections: usize,
        candidates: impl Fn(&Target<S>) -> Vec<Candidate>,
    ) -> Result<Comparison, BenchError> {
        let turns = self.turns(candidates);
        let (count, rounds) = (turns.len(), self.profile.rounds);
        progress(&format!(
            "{count} candidates, connections: {connections}, rounds: {rounds}"
        ));
        for (_, target) in self.targets() {
            // Vacuum and checkpoint of earlier rounds must not run during these.
            target.deployment.settle().await?;
        }
        for turn in &turns {
            if let Load::Http(load) = &turn.candidate.load {
                let meter = turn.deployment.meter();
                load.clone().run(Until::Elapsed(WARM_UP), meter).await?;
            }
        }
        let mut measured: Vec<_> = turns.iter().map(Turn::without_samples).collect();
        for _ in 0..rounds {
            for (turn, measured) in turns.iter().zip(&mut measured) {
                measured.samples.push(turn.run(self.profile.time).await?);
            }
        }
        for measured in &measured {
            progress(&measured.summary());
        }
        Ok(Comparison {
            connections,
            measured,
        })
    }

    fn turns(&self, candidates: impl Fn(&Target<S>) -> Vec<Candidate>) -> Vec<Turn<'_>> {
        let mut turns = Vec::new();
        let baseline = self
            .baseline
            .as_ref()
            .map(|target| (target, candidates(target)));
        for (index, candidate) in candidates(&self.target).into_iter().enumerate() {
            let is_http = matches!(candidate.load, Load::Http(_));
            turns.push(Turn {
                deployment: &self.target.deployment,
                is_baseline: false,
                candidate,
            });
            if let Some((target, candidates)) = baseline.as_ref().filter(|_| is_http) {
                turns.push(Turn {
                    deployment: &target.deployment,
                    is_baseline: true,
                    candidate: candidates[index].clone(),
                });
            }
        }
        turns
    }

    /// Sends every request of each load once; each load is a round. There is at least one.
    pub(crate) async fn send_all(
        &self,
        id: Id,
        loads: impl Fn(&Target<S>) -> Vec<HttpLoad>,
    ) -> Result<Comparison, BenchError> {
        let mut measured = Vec::new();
        let mut rounds = Vec::new();
        for (is_baseline, target) in self.targets() {
            let loads = loads(target);
            measured.push(Measured {
                id,
                connections: loads[0].connections,
                is_baseline,
                samples: Vec::new(),
            });
            rounds.push((target.deployment.meter(), loads));
        }
        for round in 0..rounds[0].1.len() {
            for ((meter, loads), measured) in rounds.iter().zip(&mut measured) {
                let run = loads[round].clone().run(Until::AllSent, *meter).await?;
                measured.samples.push(Sample::of_http(&run));
            }
        }
        for measured in &measured {
            progress(&measured.summary());
        }
        let connections = measured[0].connections;
        Ok(Comparison {
            connections,
            measured,
        })
    }

    /// The peak memory of the servers so far: a table, and megabytes of this build.
    pub(crate) fn memory(&self) -> (Table, Option<f64>) {
        let peak = |target: &Target<S>| {
            let bytes = target.deployment.meter().server_peak_bytes();
            bytes.map(megabytes)
        };
        let rows = self.targets().map(|(is_baseline, target)| {
            let name = if is_baseline {
                "baseline server"
            } else {
                "server"
            };
            vec![Cell::text(name), Cell::number(peak(target), 1)]
        });
        let table = Table {
            title: "Memory",
            columns: vec!["process", "peak MB"],
            rows: rows.collect(),
        };
        (table, peak(&self.target))
    }
}

impl Turn<'_> {
    async fn run(&self, time: Duration) -> Result<Sample, BenchError> {
        let meter = self.deployment.meter();
        Ok(match &self.candidate.load {
            Load::Http(load) => {
                Sample::of_http(&load.clone().run(Until::Elapsed(time), meter).await?)
            }
            Load::Pgbench(script) => {
                let pgbench = self.deployment.pgbench();
                Sample::of_pgbench(&pgbench::run(pgbench, script, time, meter).await?)
            }
        })
    }

    fn without_samples(&self) -> Measured {
        Measured {
            id: self.candidate.id,
            connections: match &self.candidate.load {
                Load::Http(load) => load.connections,
                Load::Pgbench(script) => script.connections,
            },
            is_baseline: self.is_baseline,
            samples: Vec::new(),
        }
    }
}
