//! The gate (§2, A1–A8): the cost of authenticating, rate limiting and charging every request,
//! durably, before its response. Every request is a whole getPayout.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{
    comparison::{Comparison, Id, StatGoal},
    data::{organization, payout_id},
    deployment::{Content, Data, Deployment},
    peers::{self, Peer},
    report::{Bound, Findings, Goal},
    rounds::{Bench, Candidate, Load, Subject},
    run::{LoadProfile, Options},
    stat::Stat,
};
use crate::Result;

const ORGANIZATIONS: usize = 1_000;
const ALL: &str = "1,000 organisations";
const ONE: &str = "1 organisation";
const READ: Id = Id::new("pgbench, key check and read alone", ALL);
const CONTRACT: Id = Id::new("pgbench, one durable statement", ALL);
const SERVER: Id = Id::new("server, getPayout", ALL);
const HOT_CONTRACT: Id = Id::new("pgbench, one durable statement", ONE);
const HOT_SERVER: Id = Id::new("server, getPayout", ONE);
const BEST_READ: Id = Id::new("pgbench at its best, key check and read alone", ALL);
const BEST_CONTRACT: Id = Id::new("pgbench at its best, one durable statement", ALL);
const BEST_HOT_CONTRACT: Id = Id::new("pgbench at its best, one durable statement", ONE);
const PEAK: Id = Id::new("server, peak", ALL);
const OVERLOAD: Id = Id::new("server, overload", ALL);

const READ_SQL: &str = include_str!("read.sql");
const CONTRACT_SQL: &str = include_str!("contract.sql");
const PREPARE_SQL: &str = include_str!("prepare.sql");

const AXUM: Id = Id::new(peers::AXUM, ALL);
const HOT_AXUM: Id = Id::new(peers::AXUM, ONE);
const FASTIFY: Id = Id::new(peers::FASTIFY, ALL);
const FASTAPI: Id = Id::new(peers::FASTAPI, ALL);

const PAIRS: [(Id, Id); 9] = [
    (SERVER, READ),
    (SERVER, CONTRACT),
    (SERVER, BEST_READ),
    (SERVER, BEST_CONTRACT),
    (HOT_SERVER, BEST_HOT_CONTRACT),
    (SERVER, AXUM),
    (HOT_SERVER, HOT_AXUM),
    (SERVER, FASTIFY),
    (SERVER, FASTAPI),
];
/// Goals by number of connections; each applies only where that number was measured.
const GOALS: [(usize, StatGoal); 10] = [
    (1, StatGoal::ratio(SERVER, AXUM, Stat::MedianLatency, Bound::AtMost(0.9))),
    (8, StatGoal::ratio(SERVER, CONTRACT, Stat::Rate, Bound::AtLeast(1.0))),
    (MANY, StatGoal::ratio(SERVER, BEST_READ, Stat::Rate, Bound::AtLeast(0.55))),
    (MANY, StatGoal::ratio(SERVER, BEST_CONTRACT, Stat::Rate, Bound::AtLeast(3.5))),
    (MANY, StatGoal::ratio(SERVER, AXUM, Stat::Rate, Bound::AtLeast(3.5))),
    (MANY, StatGoal::ratio(SERVER, AXUM, Stat::ServerCpu, Bound::AtMost(0.5))),
    (MANY, StatGoal::ratio(SERVER, FASTIFY, Stat::Rate, Bound::AtLeast(4.0))),
    (MANY, StatGoal::ratio(SERVER, FASTAPI, Stat::Rate, Bound::AtLeast(11.0))),
    (MANY, StatGoal::ratio(HOT_SERVER, BEST_HOT_CONTRACT, Stat::Rate, Bound::AtLeast(9.0))),
    (MANY, StatGoal::ratio(HOT_SERVER, HOT_AXUM, Stat::Rate, Bound::AtLeast(12.0))),
];
const OVERLOAD_GOAL: StatGoal = StatGoal::ratio(OVERLOAD, PEAK, Stat::Rate, Bound::AtLeast(0.8));
/// Connections of the goals of throughput, processor time and memory.
const MANY: usize = 256;
const MAX_MEGABYTES: f64 = 100.0;
/// On more connections pgbench's processes wait for each other; then its best earlier number of
/// connections is measured as well.
const CONTENDED: usize = 64;
/// Connections of an overload, as a multiple of the peak's.
const OVERLOAD_FACTOR: usize = 3;
/// The organisation on which the statements are verified.
const VERIFIED: usize = 7;

#[derive(Debug)]
pub(crate) struct Gate {
    root: PathBuf,
}

impl Subject for Gate {
    const NAME: &'static str = "gate";

    fn profile(options: &Options) -> LoadProfile {
        options.profile(LoadProfile { rounds: 3, seconds: 2, connections: vec![1, 4, 8, 64, 256] })
    }

    fn new(root: &Path, _: &Options, _: &LoadProfile) -> Result<Self> {
        Ok(Self { root: root.to_owned() })
    }

    fn content(&self) -> Content {
        let numbers = 0..ORGANIZATIONS;
        let organizations = numbers.map(|number| organization(number, &[(number, 0)]));
        Content {
            description: ALL.to_owned(),
            data: Data::File(json!({ "organizations": organizations.collect::<Vec<_>>() })),
        }
    }

    /// Verifies each statement once: it must find the payout, and the contract must charge for it.
    async fn prepare(&self, deployment: &Deployment) -> Result<String> {
        deployment.execute(PREPARE_SQL).await?;
        for statement in [READ_SQL, CONTRACT_SQL] {
            let found = deployment.query(literal(statement)).await?;
            if found != payout_id(VERIFIED) {
                let message = "a statement for pgbench does not find the server's payout";
                return Err(message.into());
            }
        }
        let charged = "SELECT sum(month_used)::text FROM meters".to_owned();
        match deployment.query(charged).await?.as_str() {
            "1" => Ok(String::new()),
            charged => Err(format!(
                "the durable statement for pgbench charged {charged} credits instead of 1"
            )
            .into()),
        }
    }

    async fn measure(self, bench: &Bench) -> Result<Findings> {
        let peers = peers::start(&self.root, bench.deployment(), CONTRACT_SQL)?;
        let comparisons = bench.compare_all(|deployment, connections, earlier| {
            candidates(deployment, &peers, connections, earlier)
        });
        let comparisons = comparisons.await?;
        // Before the overload, whose connections use memory of their own.
        let (memory, peak_megabytes) = bench.memory();
        let connections = comparisons.last().map_or(1, |comparison| comparison.connections);
        let overload = bench.compare(connections, |deployment| {
            vec![
                http(PEAK, deployment, connections),
                http(OVERLOAD, deployment, OVERLOAD_FACTOR * connections),
            ]
        });
        let overload = overload.await?;
        let mut findings = Findings::default();
        findings.compare("Server, pgbench and other stacks in turn", &comparisons, &PAIRS);
        findings.goals = goals(&comparisons, &overload, peak_megabytes);
        findings.compare("Overload", &[overload], &[(OVERLOAD, PEAK)]);
        findings.tables.push(("Memory".to_owned(), memory));
        Ok(findings)
    }
}

fn candidates(
    deployment: &Deployment,
    peers: &[Peer],
    connections: usize,
    earlier: &[Comparison],
) -> Vec<Candidate> {
    let mut candidates = vec![
        pgbench(READ, connections),
        pgbench(CONTRACT, connections),
        http(SERVER, deployment, connections),
        pgbench(HOT_CONTRACT, connections),
        http(HOT_SERVER, deployment, connections),
    ];
    if connections > CONTENDED {
        let bases =
            [(BEST_READ, READ), (BEST_CONTRACT, CONTRACT), (BEST_HOT_CONTRACT, HOT_CONTRACT)];
        let best = |(best, base)| Some(pgbench(best, fastest(base, earlier)?));
        candidates.extend(bases.into_iter().filter_map(best));
    }
    // They are beside one of the builds alone.
    for peer in peers.iter().filter(|_| !deployment.is_baseline) {
        candidates.extend([(ALL, ORGANIZATIONS), (ONE, 1)].map(|(data, count)| {
            Candidate::new(peer.id(data), connections, Load::Http(peer.load(count)))
        }));
    }
    candidates
}

/// The number of connections on which a candidate of pgbench was fastest.
fn fastest(id: Id, earlier: &[Comparison]) -> Option<usize> {
    let rate = |comparison: &Comparison| comparison.find(id)?.median(Stat::Rate);
    let rates = earlier.iter().map(|comparison| (rate(comparison), comparison.connections));
    let fastest = rates.max_by(|(a, _), (b, _)| a.partial_cmp(b).expect("rates are numbers"));
    fastest.map(|(_, connections)| connections)
}

fn pgbench(id: Id, connections: usize) -> Candidate {
    let organization = match id.data {
        ONE => "0".to_owned(),
        _ => format!("random(0, {})", ORGANIZATIONS - 1),
    };
    let statement = match id {
        READ | BEST_READ => READ_SQL,
        _ => CONTRACT_SQL,
    };
    let script = format!("\\set organization {organization}\n{statement};\n");
    Candidate::new(id, connections, Load::Pgbench(script))
}

/// The statement for the organisation [`VERIFIED`], to run without pgbench.
fn literal(statement: &str) -> String {
    statement.replace(":organization", &VERIFIED.to_string())
}

fn http(id: Id, deployment: &Deployment, connections: usize) -> Candidate {
    let count = if id.data == ONE { 1 } else { ORGANIZATIONS };
    let request = |number| deployment.api.get_payout(number, number);
    let mut load = deployment.load((0..count).map(request));
    load.is_random = true;
    load.counts_503 = id == OVERLOAD;
    Candidate::new(id, connections, Load::Http(load))
}

fn goals(
    comparisons: &[Comparison],
    overload: &Comparison,
    peak_megabytes: Option<f64>,
) -> Vec<Goal> {
    let mut goals = Vec::new();
    for comparison in comparisons {
        let applies =
            GOALS.iter().filter(|(connections, _)| *connections == comparison.connections);
        goals.extend(comparison.goals(applies.map(|(_, goal)| goal)));
        if comparison.connections == MANY {
            let claim = format!("connections: {MANY}: the server's peak MB");
            goals.extend(Goal::new(claim, peak_megabytes, Bound::Below(MAX_MEGABYTES)));
        }
    }
    goals.extend(overload.goals([&OVERLOAD_GOAL]));
    goals
}

#[cfg(test)]
mod tests;
