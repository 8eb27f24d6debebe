//! Goals and tables, with made-up measurements.

use super::*;
use crate::bench::{comparison::Measured, stat::Sample};

/// Rate, median in milliseconds, and processor time of server and PostgreSQL in microseconds.
fn measured(id: Id, connections: usize, [rate, median, server, postgres]: [f64; 4]) -> Measured {
    Measured {
        id,
        connections,
        is_baseline: false,
        samples: vec![Sample::with(&[
            (Stat::Rate, rate),
            (Stat::MedianLatency, median),
            (Stat::ServerCpu, server),
            (Stat::PostgresCpu, postgres),
        ])],
    }
}

/// A server beside pgbench at 1,000 (read alone), 100 and 10 per second.
fn comparison(connections: usize, server: [f64; 4], hot: f64) -> Comparison {
    let candidates = [
        (READ, [1_000.0, 1.0, 0.0, 40.0]),
        (CONTRACT, [100.0, 100.0, 0.0, 90.0]),
        (SERVER, server),
        (HOT_CONTRACT, [10.0, 1_000.0, 0.0, 100.0]),
        (HOT_SERVER, [hot, 1.0, 0.0, 0.0]),
        (BEST_READ, [1_000.0, 1.0, 0.0, 40.0]),
        (BEST_CONTRACT, [100.0, 1.0, 0.0, 90.0]),
        (BEST_HOT_CONTRACT, [10.0, 1.0, 0.0, 90.0]),
    ];
    let measured = candidates.map(|(id, stats)| measured(id, connections, stats));
    Comparison { connections, measured: measured.into() }
}

fn verdicts(comparisons: &[Comparison], goodput: f64, peak_megabytes: Option<f64>) -> Vec<bool> {
    let overload = Comparison {
        connections: 256,
        measured: vec![
            measured(PEAK, 256, [1_000.0, 1.0, 1.0, 1.0]),
            measured(OVERLOAD, 768, [goodput, 1.0, 1.0, 1.0]),
        ],
    };
    let goals = goals(comparisons, &overload, peak_megabytes);
    goals.iter().map(Goal::is_reached).collect()
}

#[test]
fn bounds_on_many_connections_are_those_of_the_goals() {
    // The memory and the overload come last.
    let reached = comparison(256, [550.0, 1.0, 30.0, 40.0], 90.0);
    assert_eq!(verdicts(&[reached], 800.0, Some(99.0)), [true; 5]);
    let missed = comparison(256, [349.0, 1.0, 31.0, 40.0], 89.0);
    assert_eq!(verdicts(&[missed], 799.0, Some(100.0)), [false; 5]);
}

#[test]
fn nothing_is_claimed_of_what_was_not_measured() {
    let other = comparison(64, [1.0, 1.0, 99.0, 99.0], 1.0);
    assert_eq!(verdicts(&[other], 800.0, Some(500.0)), [true]);
    let without_memory = comparison(256, [600.0, 1.0, 30.0, 40.0], 150.0);
    assert_eq!(verdicts(&[without_memory], 800.0, None).len(), 4);
}

#[test]
fn best_of_pgbench_is_its_fastest_number_of_connections() {
    let mut few = comparison(8, [1.0; 4], 1.0);
    let mut many = comparison(64, [1.0; 4], 1.0);
    few.measured[0] = measured(READ, 8, [2_000.0, 1.0, 1.0, 1.0]);
    many.measured[1] = measured(CONTRACT, 64, [2_000.0, 1.0, 1.0, 1.0]);
    many.measured[3] = measured(HOT_CONTRACT, 64, [2_000.0, 1.0, 1.0, 1.0]);
    let earlier = [few, many];
    let fastest = [READ, CONTRACT, HOT_CONTRACT].map(|id| fastest(id, &earlier));
    assert_eq!(fastest, [Some(8), Some(64), Some(64)]);
    assert_eq!(super::fastest(READ, &[]), None);
}

#[test]
fn literal_statement_has_no_variable_left() {
    for statement in [READ_SQL, CONTRACT_SQL] {
        let literal = literal(statement);
        let code = literal.lines().filter(|line| !line.starts_with("--"));
        let code = code.collect::<Vec<_>>().join("\n");
        assert!(!code.replace("::", "").contains(':'), "{code}");
        assert!(code.contains(r"E'commissions\072read'"), "{code}");
    }
}
