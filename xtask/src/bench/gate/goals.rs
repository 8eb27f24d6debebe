//! The goals of the gate. A goal of 256 connections applies only where 256 were measured.

use super::{CONTRACT, HOT_CONTRACT, HOT_SERVER, OF_PEAK, OVERLOAD, PEAK, READ, SERVER};
use crate::bench::{
    candidate::Stat,
    comparison::Comparison,
    report::{Bound, Goal},
};

/// Connections of the goals of throughput, processor time and memory.
const MANY: usize = 256;

pub(super) fn goals(
    comparisons: &[Comparison],
    overload: &Comparison,
    peak_megabytes: Option<f64>,
) -> Vec<Goal> {
    let mut goals: Vec<_> = comparisons.iter().flat_map(of_comparison).collect();
    if comparisons.iter().any(|comparison| comparison.connections == MANY) {
        let claim = format!("the server's memory stays below 100 MB at {MANY} connections");
        goals.push(Goal::new(claim, peak_megabytes, Bound::Below(100.0)));
    }
    let claim = format!(
        "three times the peak's connections ({}) get at least 0.80 of its successful responses",
        overload.find(OVERLOAD).connections
    );
    let goodput = overload.ratio(OVERLOAD, PEAK, OF_PEAK.stat);
    goals.push(Goal::new(claim, goodput, Bound::AtLeast(0.8)));
    // A stat that is not available claims nothing.
    goals.into_iter().flatten().collect()
}

fn of_comparison(comparison: &Comparison) -> Vec<Option<Goal>> {
    let connections = comparison.connections;
    let goal = |claim: &str, measured: Option<f64>, bound: Bound| {
        Goal::new(format!("connections: {connections}: {claim}"), measured, bound)
    };
    let latency = |most: f64| {
        goal(
            &format!("the median latency is at most {most:.1} of one durable statement's"),
            comparison.ratio(SERVER, CONTRACT, Stat::MedianLatency),
            Bound::AtMost(most),
        )
    };
    let rate = || {
        goal(
            "no slower than one durable statement per request",
            comparison.ratio(SERVER, CONTRACT, Stat::Rate),
            Bound::AtLeast(1.0),
        )
    };
    match connections {
        1 => vec![latency(1.1)],
        4 => vec![rate()],
        8 => vec![latency(1.3), rate()],
        MANY => vec![
            goal(
                "at least 0.60 of the key check and the read alone",
                comparison.ratio(SERVER, READ, Stat::Rate),
                Bound::AtLeast(0.6),
            ),
            goal(
                "at least 3 times one durable statement per request",
                comparison.ratio(SERVER, CONTRACT, Stat::Rate),
                Bound::AtLeast(3.0),
            ),
            goal(
                "on one organisation at least 15 times one durable statement per request",
                comparison.ratio(HOT_SERVER, HOT_CONTRACT, Stat::Rate),
                Bound::AtLeast(15.0),
            ),
            goal(
                "at most 30 µs of the server's processor time per request",
                comparison.find(SERVER).median(Stat::ServerCpu),
                Bound::AtMost(30.0),
            ),
            goal(
                "PostgreSQL takes at most the processor time of the key check and the read alone",
                comparison.ratio(SERVER, READ, Stat::PostgresCpu),
                Bound::AtMost(1.0),
            ),
        ],
        _ => Vec::new(),
    }
}
