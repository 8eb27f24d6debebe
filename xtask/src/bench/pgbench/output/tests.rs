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
fn beginning_does_not_count() {
    // 300 transactions in the first second, 3,000 in the two after it.
    let moments = [
        moment("progress: 1.0 s, 300.0 tps, lat 0.081 ms", 0),
        moment("progress: 2.0 s, 1000.0 tps, lat 0.081 ms", 0),
    ];
    let rate = |moments, warm_up| rate_behind(moments, warm_up, TOTAL).map(|rate| rate.text(1));
    assert_eq!(rate(&moments, 1).unwrap(), "1,500.0");
    // 1,300 in two seconds, 2,000 in the one after them.
    assert_eq!(rate(&moments, 2).unwrap(), "2,000.0");
    assert_eq!(rate(&moments, 3), None);
    assert_eq!(rate_behind(&moments, 1, Total { rate: 0, ..TOTAL }), None);
}

#[test]
fn processor_time_is_that_behind_the_beginning() {
    let moments = [
        moment("progress: 1.0 s, 10.0 tps, lat 0.081 ms", 5_000),
        moment("progress: 2.0 s, 1000.0 tps, lat 0.081 ms", 5_400),
        moment("progress: 3.1 s, 2000.0 tps, lat 0.081 ms", 6_600),
    ];
    let told = |moments, warm_up| {
        cpu(moments, warm_up, 2)
            .map(|(times, transactions)| (times.postgres.as_millis(), transactions))
    };
    assert_eq!(told(&moments, 1), Some((1_600, 3_200)));
    assert_eq!(told(&moments, 2), Some((1_200, 2_200)));
    assert_eq!(told(&moments, 3), None);
    assert_eq!(told(&[], 1), None);
    // By the last line some of PostgreSQL's processes have ended, uncounted.
    let mut leaving = moments.to_vec();
    leaving.push(moment("progress: 4.0 s, 2000.0 tps, lat 0.081 ms", 300));
    assert_eq!(told(&leaving, 1), Some((1_600, 3_200)));
}

#[test]
fn latencies_of_the_beginning_are_left_out() {
    let log =
        "0 1 402 0 100 900000\n1 1 164 0 101 899999\n0 2 90 0 101 900000\n1 2 30 0 102 900000 77\n";
    let told = |log, warm_up| -> Vec<u128> {
        let latencies = latencies(log, warm_up);
        latencies.iter().map(Duration::as_micros).collect()
    };
    assert_eq!(told(log, 1), [30, 90]);
    assert_eq!(told(log, 2), [30]);
    assert_eq!(told("0 1 402 0 100 900000\ncut 1\n", 1), [402]);
    assert!(told("", 1).is_empty());
}
