//! The report: tables, what must be reached, and how to read it.
//!
//! It refuses to judge what it cannot compare: other engines' figures come from other machines, and stand beside ours.

use super::{
    calls::{FIRST_CALLS, Repeated, Single},
    data::{LONG_LINES, USUAL_LINES},
    documents::Documents,
};
use crate::bench::{
    columns::{columns, count, load, load_columns},
    figure::Figure,
    machine::Machine,
    report::{Cell, Goal, Report, Table},
    rounds::{Plan, Summary},
};

/// The least share of getPayout's rate that the repeated call must have.
const LEAST_RATIO: Figure = Figure::from_thousandths(900);
/// Below these the long statement must stay.
const LONG_MILLISECONDS: Figure = Figure::from_thousandths(200_000);
const LONG_MEGABYTES: Figure = Figure::from_thousandths(100_000);
/// Documents of 25 lines per second of processor time, as others were measured.
const REFERENCES: &str = "reportlab 612, fpdf2 374, pdfkit 362, typst 13";

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) documents: Vec<Documents>,
    pub(crate) repeated: Vec<Repeated>,
    pub(crate) singles: Vec<Single>,
    /// Most memory of the server after first calls of 25 and 2,000 lines, in megabytes.
    pub(crate) server_peak: Option<Figure>,
    pub(crate) postgres_version: String,
    pub(crate) plan: Plan,
}

/// The report of a run.
pub(crate) fn report(machine: Machine, measured: &Measured) -> Report {
    Report {
        subject: "statements",
        machine,
        setting: format!(
            "PostgreSQL {}, durable, at its defaults; {} rounds of {} s.",
            measured.postgres_version,
            measured.plan.rounds,
            measured.plan.time.as_secs()
        ),
        tables: vec![
            documents(&measured.documents),
            repeated(&measured.repeated),
            singles(&measured.singles, measured.server_peak),
        ],
        goals: goals(measured),
        reading: reading(),
    }
}

fn documents(measured: &[Documents]) -> Table {
    let row = |documents: &Documents| {
        vec![
            Cell::figure(Figure::quotient(documents.lines.into(), 1), 0),
            Cell::figure(documents.rate, 1),
            Cell::figure(documents.usual, 1),
            Cell::figure(documents.first, 1),
            Cell::figure(documents.kilobytes, 0),
            Cell::figure(documents.peak, 1),
        ]
    };
    Table {
        title: "Documents, typeset on one thread",
        columns: columns(&[
            ("lines", "lines"),
            ("documentsPerCpuSecond", "documents per CPU second"),
            ("milliseconds", "ms each"),
            ("firstMilliseconds", "ms of the first"),
            ("kilobytes", "kB each"),
            ("peakMegabytes", "peak MB"),
        ]),
        rows: measured.iter().map(row).collect(),
    }
}

fn repeated(measured: &[Repeated]) -> Table {
    let rows = measured.iter().flat_map(|repeated| {
        let row = |name: &str, summary: &Summary, ratio: Option<Figure>| {
            let mut row = vec![
                count(repeated.connections),
                count(repeated.organizations),
                Cell::text(name),
            ];
            row.extend(load(summary));
            row.push(Cell::figure(ratio, 2));
            row
        };
        [
            row("getPayout", &repeated.get_payout, None),
            row("statement", &repeated.statement, Some(repeated.ratio)),
        ]
    });
    let mut heads = columns(&[
        ("connections", "connections"),
        ("organizations", "organisations"),
        ("call", "call"),
    ]);
    heads.extend(load_columns());
    heads.extend(columns(&[("ratio", "of getPayout")]));
    Table {
        title: "The repeated call beside getPayout",
        columns: heads,
        rows: rows.collect(),
    }
}

fn singles(measured: &[Single], server_peak: Option<Figure>) -> Table {
    let row = |single: &Single| {
        let mut row = vec![Cell::text(single.name), count(single.connections)];
        row.extend(load(&single.summary));
        row.push(Cell::Absent);
        row
    };
    let mut rows: Vec<_> = measured.iter().map(row).collect();
    let mut heads = columns(&[("call", "call"), ("connections", "connections")]);
    heads.extend(load_columns());
    heads.extend(columns(&[("serverPeakMegabytes", "server's peak MB")]));
    let mut after = vec![Cell::text("after all of these")];
    after.resize(heads.len() - 1, Cell::Absent);
    after.push(Cell::figure(server_peak, 1));
    rows.push(after);
    Table {
        title: "First calls and downloads",
        columns: heads,
        rows,
    }
}

fn goals(measured: &Measured) -> Vec<Goal> {
    let ratios = measured.repeated.iter().map(|repeated| Goal {
        claim: format!(
            "the repeated call has at least {} of getPayout's rate (connections: {}, organisations: {})",
            LEAST_RATIO.text(1),
            repeated.connections,
            repeated.organizations
        ),
        measured: Cell::figure(repeated.ratio, 3),
        holds: repeated.ratio >= LEAST_RATIO,
    });
    let mut goals: Vec<Goal> = ratios.collect();
    if let Some(long) = measured
        .documents
        .iter()
        .find(|documents| documents.lines == LONG_LINES)
    {
        goals.push(Goal {
            claim: format!(
                "2,000 lines take less than {} ms, the first time too",
                LONG_MILLISECONDS.text(0)
            ),
            measured: Cell::figure(long.first.max(long.usual), 1),
            holds: long.first.max(long.usual) < LONG_MILLISECONDS,
        });
        // Where the system does not tell, nothing is claimed: the table shows that it is absent.
        goals.extend(long.peak.map(|peak| Goal {
            claim: format!("2,000 lines take less than {} MB", LONG_MEGABYTES.text(0)),
            measured: Cell::figure(peak, 1),
            holds: peak < LONG_MEGABYTES,
        }));
    }
    goals
}

fn reading() -> Vec<String> {
    vec![
        format!(
            "Documents: each size in a process of its own, one thread, no database. Others' figures for {USUAL_LINES} lines, from \
             other machines: {REFERENCES}."
        ),
        "Repeated call: `generateStatement` of a payout whose document is known, and `getPayout` of the same payout, in turn \
         (A B A B …) on one server. The last column is the median of the ratios of neighbouring rounds; compare ratios, not rates \
         of different runs."
            .to_owned(),
        "With one organisation every request waits for the same meter's row; with 64 the operations themselves weigh more."
            .to_owned(),
        format!(
            "First call: {FIRST_CALLS} payouts in a round that nobody has called for, each rendered, written to disk and recorded; \
             of 2,000 lines one in a round."
        ),
        "CPU: processor time per answer, from /proc, in steps of 10 ms for a round; `–` where the system does not tell. The load \
         comes from the bench's own process on the same machine, and takes its share of the cores."
            .to_owned(),
        "Every answer counted is a 200; any other ends the bench.".to_owned(),
    ]
}

#[cfg(test)]
mod tests;
