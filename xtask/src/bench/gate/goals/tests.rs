//! Claims about what is judged.
//!
//! They refuse to measure anything: the figures here are made up.

use std::time::Duration;

use super::*;
use crate::bench::{
    gate::{
        contest::{SIDES, Turns},
        overload::Overload,
    },
    rounds::{Plan, Sample, Summary},
};

/// One round of a side: answers a second, median in milliseconds, processor time of server and PostgreSQL in microseconds.
pub(in crate::bench::gate) fn sample(
    rate: u64,
    milliseconds: u64,
    server: u64,
    postgres: u64,
) -> Vec<Sample> {
    vec![Sample {
        rate: Figure::whole(rate),
        turned_away: Figure::whole(0),
        median_latency: Duration::from_millis(milliseconds),
        slow_latency: Duration::from_millis(2 * milliseconds),
        server_cpu: Some(Figure::whole(server)),
        postgres_cpu: Some(Figure::whole(postgres)),
        load_cpu: None,
    }]
}

/// Beside a read alone of 1,000, a statement of 100 in 100 ms, and one of 10 on the hot organisation.
pub(in crate::bench::gate) fn contest(
    connections: usize,
    server: Vec<Sample>,
    hot: u64,
) -> Contest {
    let turns = SIDES.map(|side| {
        let samples = match side {
            Side::Read => sample(1_000, 1, 0, 40),
            Side::Contract => sample(100, 100, 0, 90),
            Side::HotContract => sample(10, 1_000, 0, 100),
            Side::Server => server.clone(),
            Side::HotServer => sample(hot, 1, 0, 0),
        };
        Turns {
            side,
            connections,
            samples,
        }
    });
    Contest {
        connections,
        turns: turns.into(),
        best: Vec::new(),
    }
}

pub(in crate::bench::gate) fn measured(
    contests: Vec<Contest>,
    goodput: u64,
    peak_megabytes: Option<u64>,
) -> Measured {
    let summary = Summary::of(&sample(1, 1, 1, 1)).unwrap();
    Measured {
        contests,
        overload: Overload {
            peak_connections: 256,
            connections: 768,
            peak: summary,
            overload: summary,
            goodput: Figure::from_thousandths(goodput),
        },
        server_peak: peak_megabytes.map(Figure::whole),
        postgres_version: "15.8".to_owned(),
        plan: Plan {
            rounds: 1,
            time: Duration::from_secs(2),
        },
    }
}

fn verdicts(measured: &Measured) -> Vec<bool> {
    goals(measured).iter().map(|goal| goal.holds).collect()
}

#[test]
fn bounds_of_many_connections_are_those_of_the_goals() {
    let reached = contest(256, sample(600, 1, 30, 40), 150);
    assert_eq!(verdicts(&measured(vec![reached], 800, Some(99))), [true; 7]);
    let missed = contest(256, sample(299, 1, 31, 41), 149);
    assert_eq!(
        verdicts(&measured(vec![missed], 799, Some(100))),
        [false; 7]
    );
}

#[test]
fn bounds_of_few_connections_are_those_of_the_goals() {
    let contests = |one: u64, eight: u64, rate: u64| {
        vec![
            contest(1, sample(90, one, 0, 0), 1),
            contest(4, sample(rate, 1_000, 0, 0), 1),
            contest(8, sample(rate, eight, 0, 0), 1),
        ]
    };
    // At 1 the latency, at 4 the rate, at 8 both; then the overload.
    let reached = measured(contests(110, 130, 100), 800, Some(200));
    assert_eq!(verdicts(&reached), [true; 5]);
    let missed = measured(contests(111, 131, 99), 799, Some(200));
    assert_eq!(verdicts(&missed), [false; 5]);
}

#[test]
fn nothing_is_claimed_of_what_was_not_measured() {
    let other = contest(64, sample(1, 1, 99, 99), 1);
    assert_eq!(verdicts(&measured(vec![other], 800, Some(500))), [true]);
    let untold = contest(256, sample(600, 1, 30, 40), 150);
    assert_eq!(verdicts(&measured(vec![untold], 800, None)).len(), 6);
}
