//! The gate (§2, A1–A8): the cost of authenticating, rate limiting and charging every request,
//! durably, before its response. Every request is a whole getPayout.

use std::path::Path;

use super::{
    comparison::{Comparison, Id, StatGoal},
    deployment::{Content, Deployment},
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{Result, http::payout_id, table::count};

/// Organisations of every candidate but those of one organisation and of growth.
pub(super) const ORGANIZATIONS: usize = 1_000;
const ALL: &str = "1,000 organisations";
const ONE: &str = "1 organisation";
const READ: Id = Id::new("pgbench, key check and read alone", ALL);
pub(super) const CONTRACT: Id = Id::new("pgbench, one durable statement", ALL);
const SERVER: Id = Id::new("server, getPayout", ALL);
const HOT_CONTRACT: Id = Id::new("pgbench, one durable statement", ONE);
const HOT_SERVER: Id = Id::new("server, getPayout", ONE);
const BEST_READ: Id = Id::new("pgbench at its best, key check and read alone", ALL);
const BEST_CONTRACT: Id = Id::new("pgbench at its best, one durable statement", ALL);
const BEST_HOT_CONTRACT: Id = Id::new("pgbench at its best, one durable statement", ONE);
const PEAK: Id = Id::new("server, peak", ALL);
const OVERLOAD: Id = Id::new("server, overload", ALL);
const HUNDRED_THOUSAND: Id = Id::new("server, getPayout", "100,000 organisations");
const MILLION: Id = Id::new("server, getPayout", "1,000,000 organisations");
/// More active organisations, each of which has a meter of its own; with `--organizations`.
const GROWTH: [(Id, usize); 2] = [(HUNDRED_THOUSAND, 100_000), (MILLION, 1_000_000)];

const READ_SQL: &str = include_str!("read.sql");
const CONTRACT_SQL: &str = include_str!("contract.sql");
const PREPARE_SQL: &str = include_str!("prepare.sql");

const PAIRS: [(Id, Id); 7] = [
    (SERVER, READ),
    (SERVER, CONTRACT),
    (SERVER, BEST_READ),
    (SERVER, BEST_CONTRACT),
    (HOT_SERVER, BEST_HOT_CONTRACT),
    (HUNDRED_THOUSAND, SERVER),
    (MILLION, SERVER),
];
/// Goals by number of connections; each applies only where that number was measured.
const GOALS: [(usize, StatGoal); 5] = [
    (8, StatGoal::ratio(SERVER, CONTRACT, Stat::Rate, Bound::AtLeast(1.0))),
    (MANY, StatGoal::ratio(SERVER, BEST_READ, Stat::Rate, Bound::AtLeast(0.55))),
    (MANY, StatGoal::ratio(SERVER, BEST_CONTRACT, Stat::Rate, Bound::AtLeast(3.5))),
    (MANY, StatGoal::ratio(HOT_SERVER, BEST_HOT_CONTRACT, Stat::Rate, Bound::AtLeast(9.0))),
    (MANY, StatGoal::ratio(HUNDRED_THOUSAND, SERVER, Stat::Rate, Bound::AtLeast(0.9))),
];
const OVERLOAD_GOAL: StatGoal = StatGoal::ratio(OVERLOAD, PEAK, Stat::Rate, Bound::AtLeast(0.8));
/// Connections of the goals of throughput, processor time and memory.
const MANY: usize = 256;
const MAX_MEGABYTES: f64 = 100.0;
/// pgbench's processes wait for each other on more connections than these; then its best earlier
/// number of connections is measured as well.
const CONTENDED: usize = 64;
/// Connections of an overload, as a multiple of the peak's.
const OVERLOAD_FACTOR: usize = 3;
/// The organisation on which the statements are verified.
const VERIFIED: usize = 7;

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let organizations =
        options.organizations.map_or(0, |chosen| chosen as usize).max(ORGANIZATIONS);
    let profile = options.profile(3, 2, &[1, 4, 8, 64, MANY]);
    let content = Content {
        description: format!("{} organisations", count(organizations)),
        organizations,
        lines: None,
    };
    let bench = Bench::start(("gate", root, options), profile, content, verify).await?;
    let comparisons = bench.compare_all(|deployment, connections, earlier| {
        let growth = GROWTH.iter().filter(|(_, count)| *count <= organizations);
        let growth = growth.map(|(id, _)| http(*id, deployment, connections));
        candidates(deployment, connections, earlier).into_iter().chain(growth).collect()
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
    findings.compare("Server and pgbench in turn", &comparisons, &PAIRS);
    findings.goals = goals(&comparisons, &overload, peak_megabytes);
    findings.compare("Overload", &[overload], &[(OVERLOAD, PEAK)]);
    findings.tables.push(("Memory".to_owned(), memory));
    Ok(bench.report(findings))
}

/// Verifies each statement once: it must find the payout, and the contract must charge for it.
async fn verify(deployment: &Deployment) -> Result<String> {
    prepare(deployment).await?;
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
        charged => {
            Err(format!("the durable statement for pgbench charged {charged} credits instead of 1")
                .into())
        }
    }
}

fn candidates(
    deployment: &Deployment,
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
    candidates
}

/// The number of connections on which a candidate of pgbench was fastest.
fn fastest(id: Id, earlier: &[Comparison]) -> Option<usize> {
    let rate = |comparison: &Comparison| comparison.find(id)?.median(Stat::Rate);
    let rates = earlier.iter().map(|comparison| (rate(comparison), comparison.connections));
    let fastest = rates.max_by(|(a, _), (b, _)| a.partial_cmp(b).expect("rates are numbers"));
    fastest.map(|(_, connections)| connections)
}

/// Gives each organisation a key for pgbench.
pub(super) async fn prepare(deployment: &Deployment) -> Result<String> {
    deployment.execute(PREPARE_SQL).await?;
    Ok(String::new())
}

/// The durable statement of getPayout on as many organisations as other candidates use.
pub(super) fn contract(connections: usize) -> Candidate {
    pgbench(CONTRACT, connections)
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
    let grown = GROWTH.iter().find(|(grown, _)| *grown == id);
    let count = match grown {
        Some((_, count)) => *count,
        None if id.data == ONE => 1,
        None => ORGANIZATIONS,
    };
    let api = deployment.api.clone();
    let mut load = deployment.load_of(count, move |number| api.get_payout(number, number));
    load.is_random = true;
    // A 503 of a measurement that takes minutes is reported, and does not end it.
    load.counts_503 = id == OVERLOAD || grown.is_some();
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
mod tests {
    use super::*;
    use crate::bench::{comparison::Measured, stat::Sample};

    #[test]
    fn best_of_pgbench_is_its_fastest_number_of_connections() {
        let earlier =
            [(8, 2_000.0, 100.0), (64, 1_000.0, 200.0)].map(|(connections, read, contract)| {
                let measured = |id, rate| Measured {
                    id,
                    connections,
                    is_baseline: false,
                    samples: vec![Sample::with(&[(Stat::Rate, rate)])],
                };
                let measured = vec![measured(READ, read), measured(CONTRACT, contract)];
                Comparison { connections, measured }
            });
        assert_eq!([READ, CONTRACT].map(|id| fastest(id, &earlier)), [Some(8), Some(64)]);
        assert_eq!(fastest(READ, &[]), None);
    }
}
