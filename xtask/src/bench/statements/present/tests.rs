//! Claims about what is judged.
//!
//! They refuse to measure anything: the figures here are made up.

use std::time::Duration;

use super::*;

fn measured(ratio: u64, first_milliseconds: u64, peak_megabytes: Option<u64>) -> Measured {
    let figure = |thousandths| Figure::from_thousandths(thousandths);
    let summary = Summary {
        rate: figure(1_000_000),
        median_latency: figure(1_000),
        slow_latency: figure(2_000),
        turned_away: figure(0),
        server_cpu: Some(figure(100_000)),
        postgres_cpu: None,
        load_cpu: None,
    };
    Measured {
        documents: vec![Documents {
            lines: LONG_LINES,
            rate: figure(10_000),
            first: figure(first_milliseconds * 1_000),
            usual: figure(90_000),
            kilobytes: figure(500_000),
            peak: peak_megabytes.map(|megabytes| figure(megabytes * 1_000)),
        }],
        repeated: vec![Repeated {
            connections: 8,
            organizations: 1,
            get_payout: summary,
            statement: summary,
            ratio: figure(ratio),
        }],
        singles: vec![Single {
            name: "download",
            connections: 8,
            summary,
        }],
        server_peak: None,
        postgres_version: "15.8".to_owned(),
        plan: Plan {
            rounds: 5,
            time: Duration::from_secs(3),
        },
    }
}

fn verdicts(measured: &Measured) -> Vec<bool> {
    goals(measured).iter().map(|goal| goal.holds).collect()
}

#[test]
fn bounds_are_those_of_the_goals() {
    assert_eq!(verdicts(&measured(900, 199, Some(99))), [true, true, true]);
    assert_eq!(
        verdicts(&measured(899, 200, Some(100))),
        [false, false, false]
    );
}

#[test]
fn nothing_is_claimed_of_memory_that_the_system_does_not_tell() {
    assert_eq!(verdicts(&measured(900, 199, None)), [true, true]);
}

#[test]
fn every_row_has_a_cell_for_every_column() {
    let measured = measured(900, 199, None);
    let tables = [
        documents(&measured.documents),
        repeated(&measured.repeated),
        singles(&measured.singles, measured.server_peak),
    ];
    for table in tables {
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == table.columns.len()),
            "{}",
            table.title
        );
    }
}
