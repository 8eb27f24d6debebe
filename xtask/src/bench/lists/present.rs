//! The report: the table, what must be reached, and how to read it.
//!
//! It refuses to judge OFFSET: it stands beside to be seen, not to be beaten.

use super::{
    contest::{Pair, SERVER},
    walk::{LINES, PAGE},
};
use crate::bench::{
    columns::{columns, count, load, load_columns},
    figure::Figure,
    machine::Machine,
    report::{Cell, Goal, Report, Table},
    rounds::{Plan, Summary},
};

/// What the deep page may cost, in first pages.
const MOST: Figure = Figure::from_thousandths(1_500);

/// Everything that was measured.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) postgres_version: String,
    pub(crate) plan: Plan,
}

/// The report of a run.
pub(crate) fn report(machine: Machine, measured: &Measured) -> Report {
    Report {
        subject: "lists",
        machine,
        setting: format!(
            "PostgreSQL {}, durable, at its defaults but for max_connections; {} rounds of {} s; {} commission lines of one \
             organisation, pages of {PAGE}.",
            measured.postgres_version,
            measured.plan.rounds,
            measured.plan.time.as_secs(),
            Figure::whole(LINES.into()).text(0)
        ),
        tables: vec![pages(&measured.pairs)],
        goals: goals(&measured.pairs),
        reading: reading(),
    }
}

fn pages(pairs: &[Pair]) -> Table {
    let rows = pairs.iter().flat_map(|pair| {
        let row = |page: &str, summary: &Summary, ratio: Option<Figure>| {
            let mut row = vec![
                count(pair.connections),
                Cell::text(pair.name),
                Cell::text(page),
            ];
            row.extend(load(summary));
            row.push(Cell::figure(ratio, 2));
            row
        };
        [
            row("first", &pair.first, None),
            row("at 99 %", &pair.deep, Some(pair.latency)),
        ]
    });
    let mut heads = columns(&[
        ("connections", "connections"),
        ("who", "who"),
        ("page", "page"),
    ]);
    heads.extend(load_columns());
    heads.extend(columns(&[("latencyOfFirst", "median of the first's")]));
    Table {
        title: "A page at the beginning and at the end",
        rows: rows.collect(),
        columns: heads,
    }
}

fn goals(pairs: &[Pair]) -> Vec<Goal> {
    let ours = pairs.iter().filter(|pair| pair.name == SERVER);
    let goal = |pair: &Pair| Goal {
        claim: format!(
            "connections: {}: a page at 99 % takes at most {} times the first page's median",
            pair.connections,
            MOST.text(1)
        ),
        measured: Cell::figure(pair.latency, 2),
        holds: pair.latency <= MOST,
    };
    ours.map(goal).collect()
}

fn reading() -> Vec<String> {
    [
        "The server answers listCommissionLines without a filter, over HTTP, each request known, counted and charged. The deep page's \
         cursor is the server's own, found by following all pages before it.",
        "pgbench runs the server's statement with OFFSET in place of the cursor, as superuser over the Unix socket: no HTTP, no \
         admission, no tenancy. It is told how many rows to skip, and PostgreSQL reads them all.",
        "All four in turn (A B C D A …); the last column is the median of the ratios of neighbouring rounds' median latencies. The \
         server's page holds a constant part for admission, so PostgreSQL's processor time tells the depth's share better.",
        "CPU: processor time per answer, from /proc; `–` where the system does not tell, or there is no server. Load CPU is the \
         bench's own, or pgbench's.",
        "Every answer counted is a 200; any other ends the bench.",
    ]
    .map(str::to_owned)
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lists::contest::OFFSET;

    fn pair(name: &'static str, latency: u64) -> Pair {
        let figure = Figure::whole(1);
        let summary = Summary {
            rate: figure,
            turned_away: figure,
            median_latency: figure,
            slow_latency: figure,
            server_cpu: None,
            postgres_cpu: None,
            load_cpu: None,
        };
        Pair {
            name,
            connections: 1,
            first: summary,
            deep: summary,
            latency: Figure::from_thousandths(latency),
        }
    }

    #[test]
    fn only_the_server_is_judged() {
        let verdicts = |pairs: &[Pair]| {
            goals(pairs)
                .iter()
                .map(|goal| goal.holds)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            verdicts(&[pair(SERVER, 1_500), pair(OFFSET, 900_000)]),
            [true]
        );
        assert_eq!(
            verdicts(&[pair(SERVER, 1_501), pair(OFFSET, 1_000)]),
            [false]
        );
    }

    #[test]
    fn every_row_has_a_cell_for_every_column() {
        let table = pages(&[pair(SERVER, 1), pair(OFFSET, 1)]);
        assert_eq!(table.rows.len(), 4);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == table.columns.len())
        );
    }
}
