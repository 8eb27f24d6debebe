//! The report: tables, and how to read them.
//!
//! It refuses to leave out what speaks against us: where pgbench is faster on fewer connections, that has a table.

use super::{
    contest::{Contest, Side, Turns},
    goals::goals,
    overload::Overload,
};
use crate::bench::{
    columns::{columns, count, load, load_columns},
    figure::Figure,
    machine::Machine,
    report::{Cell, Report, Table},
    rounds::{Plan, ratio},
};

/// Everything that was measured.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// In rising order of connections; at least one.
    pub(crate) contests: Vec<Contest>,
    pub(crate) overload: Overload,
    /// Most memory of the server before the overload, in megabytes.
    pub(crate) server_peak: Option<Figure>,
    pub(crate) postgres_version: String,
    pub(crate) plan: Plan,
}

/// The report of a run.
pub(crate) fn report(machine: Machine, measured: &Measured) -> Report {
    Report {
        subject: "gate",
        machine,
        setting: format!(
            "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; 1,000 organisations, or \
             one.",
            measured.postgres_version,
            measured.plan.rounds,
            measured.plan.time.as_secs()
        ),
        tables: vec![
            beside(&measured.contests),
            best(&measured.contests),
            overload(&measured.overload, measured.server_peak),
        ],
        goals: goals(measured),
        reading: reading(),
    }
}

fn beside(contests: &[Contest]) -> Table {
    let rows = contests
        .iter()
        .flat_map(|contest| contest.turns.iter().map(|turns| row(contest, turns)));
    let mut heads = columns(&[
        ("organizations", "organisations"),
        ("who", "who"),
        ("connections", "connections"),
    ]);
    heads.extend(load_columns());
    heads.extend(columns(&[
        ("ofRead", "of the read alone"),
        ("ofStatement", "of one statement"),
        ("latencyOfStatement", "median of one statement's"),
    ]));
    Table {
        title: "Server and pgbench, in turn",
        rows: rows.collect(),
        columns: heads,
    }
}

fn row(contest: &Contest, turns: &Turns) -> Vec<Cell> {
    let side = turns.side;
    let (read, contract) = match side {
        Side::Read | Side::HotContract => (None, None),
        Side::Contract => (Some(Side::Read), None),
        Side::Server => (Some(Side::Read), Some(Side::Contract)),
        Side::HotServer => (None, Some(Side::HotContract)),
    };
    let rate = |base: Side| contest.rate(side, base);
    let latency = contract.map(|base| contest.latency(side, base));
    let mut row = vec![
        count(side.organizations()),
        Cell::text(side.name()),
        count(turns.connections),
    ];
    row.extend(load(&turns.summary()));
    row.push(Cell::figure(read.map(rate), 2));
    row.push(Cell::figure(contract.map(rate), 2));
    row.push(Cell::figure(latency, 2));
    row
}

/// The server on many connections beside pgbench on those on which it was fastest before.
fn best(contests: &[Contest]) -> Table {
    let rows = contests.iter().flat_map(|contest| {
        let row = |turns: &Turns| {
            let side = match turns.side {
                Side::HotContract | Side::HotServer => Side::HotServer,
                Side::Read | Side::Contract | Side::Server => Side::Server,
            };
            let server = contest.of(side);
            vec![
                count(turns.side.organizations()),
                Cell::text(turns.side.name()),
                count(turns.connections),
                Cell::figure(turns.summary().rate, 0),
                count(server.connections),
                Cell::figure(server.summary().rate, 0),
                Cell::figure(ratio(&server.samples, &turns.samples), 2),
            ]
        };
        contest.best.iter().map(row)
    });
    Table {
        title: "Server on many connections beside pgbench at its best",
        rows: rows.collect(),
        columns: columns(&[
            ("organizations", "organisations"),
            ("base", "beside"),
            ("baseConnections", "its connections"),
            ("basePerSecond", "its rate per second"),
            ("connections", "server's connections"),
            ("perSecond", "server's rate per second"),
            ("ratio", "ratio"),
        ]),
    }
}

fn overload(measured: &Overload, server_peak: Option<Figure>) -> Table {
    let kinds = [
        (
            "peak",
            measured.peak_connections,
            &measured.peak,
            server_peak,
            None,
        ),
        (
            "overload",
            measured.connections,
            &measured.overload,
            None,
            Some(measured.goodput),
        ),
    ];
    let row =
        |(name, connections, summary, peak, goodput): (_, _, _, Option<Figure>, Option<Figure>)| {
            let mut row = vec![Cell::text(name), count(connections)];
            row.extend(load(summary));
            row.push(Cell::figure(summary.turned_away, 0));
            row.push(Cell::figure(goodput, 2));
            row.push(Cell::figure(peak, 1));
            row
        };
    let mut heads = columns(&[("load", "load"), ("connections", "connections")]);
    heads.extend(load_columns());
    heads.extend(columns(&[
        ("turnedAwayPerSecond", "503 per second"),
        ("goodput", "of the peak"),
        ("serverPeakMegabytes", "server's peak MB"),
    ]));
    Table {
        title: "Overload and memory",
        columns: heads,
        rows: kinds.map(row).into(),
    }
}

fn reading() -> Vec<String> {
    [
        "Each number of connections is measured for itself: all five in turn (A B C D E A B …). Ratios are medians of the ratios of \
         neighbouring rounds; compare ratios, not rates of different runs.",
        "Goals are judged on equal numbers of connections. On many, pgbench's own processes wait for each other; so the second table \
         sets the server, in the same rounds, beside pgbench on the number on which it was fastest before.",
        "pgbench (-M prepared, two threads, generic plans from the start, over the Unix socket) runs as superuser, whom row-level \
         security costs nothing, and shows nobody an answer. Its organisation is drawn at random, as the server's is; the key's \
         hash and the payout's id are computed of its number in SQL, about 1 µs together. Its first second does not count, on 64 \
         connections two, on 256 five: until every process of PostgreSQL is warm.",
        "PostgreSQL's processor time for the read alone grows with pgbench's connections: on 256 it is some three times that on 8.",
        "One durable statement: key check, minute, month, limits and read in one statement, synchronous_commit on: what a service \
         does that asks PostgreSQL once for each request.",
        "The server answers getPayout over HTTP on the loopback: key, minute and month charged durably before the answer. Its \
         load comes from the bench's own process.",
        "Nothing else should run beside: on a busy machine PostgreSQL's many processes get more of it together than the server's few \
         threads, so that the server's ratios fall.",
        "CPU: processor time per answer, from /proc, in steps of 10 ms for a round and process; `–` where the system does not tell, or \
         there is no server. Load CPU is the bench's own, or pgbench's: it comes from the same cores.",
        "Overload: three times the connections of the peak, all of which ask again at once, whatever the answer. Per second and \
         latencies are those of 200 alone; 503 is counted apart, and CPU is per answer of either kind. Memory is the server's most \
         before the overload, after all rounds.",
        "Every other answer than 200 ends the bench; so does a pgbench that fails.",
    ]
    .map(str::to_owned)
    .into()
}

#[cfg(test)]
mod tests;
