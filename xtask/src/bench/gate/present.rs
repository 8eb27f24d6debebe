//! The report: tables, and how to read them.
//!
//! It refuses to leave out what speaks against us: pgbench at its own best number of connections has a table.

use super::{
    contest::{Contest, Overload, SIDES, Side},
    data::ORGANIZATIONS,
    goals::goals,
};
use crate::bench::{
    columns::{columns, count, load, load_columns},
    figure::Figure,
    machine::Machine,
    report::{Cell, Report, Table},
    rounds::Plan,
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
            "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; organisations: {ORGANIZATIONS}, \
             or one.",
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
    let row = |contest: &Contest, side: Side| {
        let base = |base: Side| Cell::figure(contest.rate(side, base), 2);
        let ratios = match side {
            Side::Read => [Cell::Absent, Cell::Absent, Cell::Absent],
            Side::Contract => [base(Side::Read), Cell::Absent, Cell::Absent],
            Side::HotContract => [Cell::Absent, Cell::Absent, Cell::Absent],
            Side::Server | Side::HotServer => {
                let (read, contract) = match side {
                    Side::Server => (base(Side::Read), Side::Contract),
                    _ => (Cell::Absent, Side::HotContract),
                };
                let latency = Cell::figure(contest.latency(side, contract), 2);
                [read, base(contract), latency]
            }
        };
        let mut row = vec![
            count(contest.connections),
            count(side.organizations()),
            Cell::text(side.name()),
        ];
        row.extend(load(&contest.summary(side)));
        row.extend(ratios);
        row
    };
    let rows = contests
        .iter()
        .flat_map(|contest| SIDES.map(|side| row(contest, side)));
    let mut heads = columns(&[
        ("connections", "connections"),
        ("organizations", "organisations"),
        ("who", "who"),
    ]);
    heads.extend(load_columns());
    heads.extend(columns(&[
        ("ofRead", "of the read alone"),
        ("ofStatement", "of one statement"),
        ("latencyOfStatement", "median of one statement's"),
    ]));
    Table {
        title: "Server and pgbench on the same number of connections",
        rows: rows.collect(),
        columns: heads,
    }
}

/// pgbench where it is fastest, and the server on most connections.
fn best(contests: &[Contest]) -> Table {
    let most = contests.last().expect("there is a contest");
    let pairs = [
        (Side::Read, Side::Server),
        (Side::Contract, Side::Server),
        (Side::HotContract, Side::HotServer),
    ];
    let row = |(base, side): (Side, Side)| {
        let rates = contests
            .iter()
            .map(|contest| (contest.summary(base).rate, contest.connections));
        let (rate, connections) = rates.max().expect("there is a contest");
        let server = most.summary(side).rate;
        vec![
            Cell::text(base.name()),
            count(base.organizations()),
            count(connections),
            Cell::figure(rate, 0),
            count(most.connections),
            Cell::figure(server, 0),
            Cell::figure(server.times(rate), 2),
        ]
    };
    Table {
        title: "Server beside pgbench at its best",
        columns: columns(&[
            ("base", "beside"),
            ("organizations", "organisations"),
            ("bestConnections", "its connections"),
            ("bestPerSecond", "its rate per second"),
            ("connections", "server's connections"),
            ("perSecond", "server's rate per second"),
            ("ratio", "ratio"),
        ]),
        rows: pairs.map(row).into(),
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
         neighbouring rounds, on the same number of connections; compare ratios, not rates of different runs.",
        "pgbench (-M prepared, two threads, generic plans from the start, over the Unix socket) runs as superuser, whom row-level \
         security costs nothing, and shows nobody an answer. Its organisation is drawn at random, as the server's is; the key's \
         hash and the payout's id are computed of its number in SQL, about 1 µs together. Its first second does not count.",
        "One durable statement: key check, minute, month, limits, read, in one statement with synchronous_commit on: what a service \
         does that asks PostgreSQL once for each request.",
        "The server answers getPayout over HTTP on the loopback: key, minute and month charged durably before the answer. Its \
         load comes from the bench's own process.",
        "pgbench with 256 connections keeps PostgreSQL's processes waiting for each other, and is not at its best; the server holds a \
         few. So the second table sets the server on most connections beside pgbench where it was fastest; its ratios are those of \
         medians, of rounds some minutes apart.",
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
