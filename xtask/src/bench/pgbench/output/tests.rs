//! Claims about what pgbench says, as PostgreSQL 15 says it.
//!
//! They refuse to run it: what is claimed is what is understood.

use super::*;

fn moment(line: &str, postgres_milliseconds: u64) -> Moment {
    let cpu = CpuTimes {
        postgres: Duration::from_millis(postgres_milliseconds),
        ..CpuTimes::default()
    };
    Moment {
        progress: Progress::parse(line).unwrap(),
        cpu: Some(cpu),
    }
}

#[test]
fn progress_is_read_and_nothing_else() {
    let line = "progress: 12.0 s, 1927.3 tps, lat 1.077 ms stddev 0.421, 0 failed";
    let expected = Progress {
        at: 120,
        rate: 19_273,
    };
    assert_eq!(Progress::parse(line), Some(expected));
    for other in [
        "pgbench (15.18)",
        "tps = 97194.790767 (without initial connection time)",
        "progress: soon",
        "progress: 1 s, 2 tps",
    ] {
        assert_eq!(Progress::parse(other), None, "{other}");
    }
}

#[test]
fn total_is_read_among_what_else_is_told() {
    let text = "number of threads: 2\nnumber of transactions actually processed: 3300\nlatency average = 0.074 ms\n\
                initial connection time = 500.000 ms\ntps = 1320.000000 (without initial connection time)\n";
    assert_eq!(Total::parse(text), Some(TOTAL));
    assert_eq!(Total::parse("tps = 1.0 (including)"), None);
}

/// 2.5 seconds after half a second of connecting.
const TOTAL: Total = Total {
    transactions: 3_300,
    connecting: 500_000,
    rate: 1_320_000_000,
};

#[test]
fn first_second_does_not_count() {
    // 300 transactions in the first second, 3,000 in the two after it.
    let first = Progress {
        at: 10,
        rate: 3_000,
    };
    assert_eq!(rate_behind(first, TOTAL).unwrap().text(1), "1,500.0");
    let none = Total { rate: 0, ..TOTAL };
    assert_eq!(rate_behind(first, none), None);
}

#[test]
fn processor_time_is_that_between_first_and_last_line() {
    let moments = [
        moment("progress: 1.0 s, 10.0 tps, lat 0.081 ms", 5_000),
        moment("progress: 2.0 s, 1000.0 tps, lat 0.081 ms", 5_400),
        moment("progress: 3.1 s, 2000.0 tps, lat 0.081 ms", 6_600),
    ];
    let (times, transactions) = cpu(&moments).unwrap();
    assert_eq!((times.postgres.as_millis(), transactions), (1_600, 3_200));
    assert!(cpu(&moments[..1]).is_none());
    assert!(cpu(&[]).is_none());
}

#[test]
fn latencies_of_the_first_second_are_left_out() {
    let log =
        "0 1 402 0 100 900000\n1 1 164 0 101 899999\n0 2 90 0 101 900000\n1 2 30 0 102 5 77\n";
    let micros = |log| {
        latencies(log)
            .iter()
            .map(Duration::as_micros)
            .collect::<Vec<_>>()
    };
    assert_eq!(micros(log), [30, 90]);
    assert_eq!(micros("0 1 402 0 100 900000\ncut 1\n"), [402]);
    assert!(micros("").is_empty());
}
