//! The gate (§2, A1–A8): the cost of authenticating, rate limiting and charging every request,
//! durably, before its response. Every request is a whole getPayout.

mod data;
mod goals;
mod scripts;

use std::{path::Path, sync::Arc};

use self::{
    data::{HOT, ORGANIZATIONS, PREPARATION, content, payout_id, payout_path},
    goals::goals,
    scripts::{CONTRACT_SQL, READ_SQL, hot, literal, spread},
};
use super::{
    candidate::{Candidate, Id, Load, Stat},
    comparison::{Comparison, Ratio, table},
    deployment::Deployment,
    http::{HttpLoad, Order, Request},
    load_profile::{Defaults, LoadProfile},
    pgbench::Script,
    report::{Cell, Table},
    run::BenchError,
    subject::{Bench, Content, Findings, Subject, Target},
};

const ALL: &str = "1,000 organisations";
const ONE: &str = "1 organisation";
const READ: Id = id("pgbench, key check and read alone", ALL);
const CONTRACT: Id = id("pgbench, one durable statement", ALL);
const SERVER: Id = id("server, getPayout", ALL);
const HOT_CONTRACT: Id = id("pgbench, one durable statement", ONE);
const HOT_SERVER: Id = id("server, getPayout", ONE);
const PEAK: Id = id("server, peak", ALL);
const OVERLOAD: Id = id("server, overload", ALL);

const RATIOS: [Ratio; 3] = [
    Ratio {
        head: "of the read alone",
        stat: Stat::Rate,
        pairs: &[(CONTRACT, READ), (SERVER, READ)],
    },
    Ratio {
        head: "of one statement",
        stat: Stat::Rate,
        pairs: &[(SERVER, CONTRACT), (HOT_SERVER, HOT_CONTRACT)],
    },
    Ratio {
        head: "median of one statement's",
        stat: Stat::MedianLatency,
        pairs: &[(SERVER, CONTRACT), (HOT_SERVER, HOT_CONTRACT)],
    },
];
const OF_PEAK: Ratio = Ratio {
    head: "of the peak",
    stat: Stat::Rate,
    pairs: &[(OVERLOAD, PEAK)],
};
/// On more connections pgbench's processes wait for each other; then its best earlier number of
/// connections is measured as well.
const CONTENDED: usize = 64;
/// Connections of an overload, as a multiple of the peak's.
const OVERLOAD_FACTOR: usize = 3;
/// The organisation on which the statements are verified.
const VERIFIED: usize = 7;

const READING: [&str; 9] = [
    "Candidates take turns (A B C D E A B …), separately for each number of connections. Ratios \
     are medians of the ratios of neighbouring rounds; compare ratios, not rates of different runs.",
    "Goals compare equal numbers of connections. On many connections pgbench's own processes wait \
     for each other, so a second table compares the server, in the same rounds, with pgbench on \
     the number of connections on which it was fastest before.",
    "pgbench (-M prepared, two threads, generic plans from the start, over the Unix socket) runs \
     as superuser, so row-level security costs it nothing, and it sends no response to a client. \
     Its organisation is random, as the server's is; key hash and payout id are computed from the \
     organisation's number in SQL, about 1 µs together. Its warm-up does not count: 1 s, on 64 \
     connections 2 s, on 256 5 s.",
    "PostgreSQL's processor time for the read alone grows with pgbench's connections: on 256 it is \
     about three times that on 8.",
    "One durable statement: key check, minute, month, limits and read in one statement with \
     synchronous_commit on, as a service works that queries PostgreSQL once per request.",
    "The server responds to getPayout over HTTP on the loopback interface; key, minute and month \
     are charged durably before the response. The load comes from the bench's own process.",
    "Run nothing else on the machine: PostgreSQL's many processes then get more of it than the \
     server's few threads, and the server's ratios fall.",
    "CPU: processor time per request, from /proc, in steps of 10 ms per round and process; `–` \
     where it is not available or there is no server. Load CPU is the bench's own, or pgbench's; \
     it comes from the same cores.",
    "Overload: three times the peak's connections, each of which sends its next request at once, \
     whatever the response. Rate and latencies are those of 200 alone; 503 is counted separately, \
     and CPU is per response of either kind. Memory is the server's peak before the overload.",
];

const fn id(name: &'static str, data: &'static str) -> Id {
    Id { name, data }
}

#[derive(Debug)]
pub(crate) struct Gate;

impl Subject for Gate {
    const NAME: &'static str = "gate";
    const DEFAULTS: Defaults = Defaults {
        rounds: 3,
        seconds: 2,
        connections: &[1, 4, 8, 64, 256],
    };
    type Prepared = ();

    fn new(_: &Path, _: &LoadProfile) -> Result<Self, BenchError> {
        Ok(Self)
    }

    fn content(&self) -> Content {
        content()
    }

    /// Verifies each statement once: it must find the payout, and the contract must charge for it.
    async fn prepare(&self, deployment: &Deployment) -> Result<(), BenchError> {
        deployment.execute(PREPARATION).await?;
        for statement in [READ_SQL, CONTRACT_SQL] {
            let found = deployment.query(literal(statement, VERIFIED)).await?;
            if found != payout_id(VERIFIED) {
                let message = "a statement for pgbench does not find the server's payout";
                return Err(BenchError::Mismatch(message.to_owned()));
            }
        }
        let charged = "SELECT sum(month_used)::text FROM meters".to_owned();
        match deployment.query(charged).await?.as_str() {
            "1" => Ok(()),
            charged => Err(BenchError::Mismatch(format!(
                "the durable statement for pgbench charged {charged} credits instead of 1"
            ))),
        }
    }

    async fn measure(self, bench: &Bench<Self>) -> Result<Findings, BenchError> {
        let comparisons = bench.compare_all(candidates).await?;
        // Before the overload, whose connections use memory of their own.
        let (memory, peak_megabytes) = bench.memory();
        let connections = comparisons
            .last()
            .map_or(1, |comparison| comparison.connections);
        let overload = bench.compare(connections, |target| {
            vec![
                http(PEAK, target, connections),
                http(OVERLOAD, target, OVERLOAD_FACTOR * connections),
            ]
        });
        let overload = [overload.await?];
        Ok(Findings {
            goals: goals(&comparisons, &overload[0], peak_megabytes),
            tables: vec![
                table("Server and pgbench in turn", &comparisons, &RATIOS),
                best_table(&comparisons),
                table("Overload", &overload, &[OF_PEAK]),
                memory,
            ],
            reading: READING.to_vec(),
        })
    }
}

fn candidates(target: &Target<Gate>, connections: usize, earlier: &[Comparison]) -> Vec<Candidate> {
    let mut candidates = vec![
        pgbench(READ, connections),
        pgbench(CONTRACT, connections),
        http(SERVER, target, connections),
        pgbench(HOT_CONTRACT, connections),
        http(HOT_SERVER, target, connections),
    ];
    let best = best(connections, earlier).into_iter();
    candidates.extend(best.map(|(id, connections)| pgbench(id, connections)));
    candidates
}

fn pgbench(id: Id, connections: usize) -> Candidate {
    let text = match id {
        READ => spread(READ_SQL),
        HOT_CONTRACT => hot(CONTRACT_SQL),
        _ => spread(CONTRACT_SQL),
    };
    let load = Load::Pgbench(Script { connections, text });
    Candidate { id, load }
}

fn http(id: Id, target: &Target<Gate>, connections: usize) -> Candidate {
    let deployment = &target.deployment;
    let request = |organization| {
        deployment.request(hyper::Method::GET, &payout_path(organization), organization)
    };
    let requests: Arc<[Request]> = match id {
        HOT_SERVER => Arc::from([request(HOT)]),
        _ => (0..ORGANIZATIONS).map(request).collect(),
    };
    let load = Load::Http(HttpLoad {
        address: deployment.address(),
        connections,
        requests,
        order: Order::Random,
        is_overload: id == OVERLOAD,
    });
    Candidate { id, load }
}

/// On many connections: pgbench's candidates, with their fastest number of connections so far.
fn best(connections: usize, earlier: &[Comparison]) -> Vec<(Id, usize)> {
    if connections <= CONTENDED {
        return Vec::new();
    }
    let best = |id: Id| {
        let rates = earlier.iter().filter_map(|comparison| {
            let rate = comparison.find(id).median(Stat::Rate)?;
            Some((rate, comparison.connections))
        });
        let fastest = rates.max_by(|(a, _), (b, _)| a.total_cmp(b));
        fastest.map(|(_, connections)| (id, connections))
    };
    [READ, CONTRACT, HOT_CONTRACT]
        .into_iter()
        .filter_map(best)
        .collect()
}

/// The server on many connections, compared with pgbench on its best number of connections.
fn best_table(comparisons: &[Comparison]) -> Table {
    let rows = comparisons.iter().flat_map(|comparison| {
        let best = comparison.measured.iter();
        let best = best.filter(|measured| measured.connections != comparison.connections);
        best.map(|pgbench| {
            let server = match pgbench.id {
                HOT_CONTRACT => HOT_SERVER,
                _ => SERVER,
            };
            let server = comparison.find(server);
            vec![
                Cell::text(pgbench.id.data),
                Cell::text(pgbench.id.name),
                Cell::count(pgbench.connections),
                Cell::number(pgbench.median(Stat::Rate), 0),
                Cell::count(server.connections),
                Cell::number(server.median(Stat::Rate), 0),
                Cell::number(server.ratio(pgbench, Stat::Rate), 2),
            ]
        })
    });
    Table {
        title: "Server on many connections compared with pgbench at its best",
        rows: rows.collect(),
        columns: vec![
            "data",
            "pgbench",
            "its connections",
            "its rate per second",
            "server's connections",
            "server's rate per second",
            "ratio",
        ],
    }
}

#[cfg(test)]
mod tests;
