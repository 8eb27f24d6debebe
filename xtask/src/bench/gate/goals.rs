//! What the gate must reach, and whether it does.
//!
//! It refuses to judge what was not measured: a goal of 256 connections stands only where they were asked for.

use super::{
    contest::{Contest, Side},
    present::Measured,
};
use crate::bench::{
    figure::Figure,
    report::{Cell, Goal},
};

/// Connections of the goals of throughput, processor time and memory.
const MANY: usize = 256;
/// Where a batch has little to gather, it must cost nothing.
const FEW: [usize; 2] = [4, 8];

/// On which side of a bound a figure must be.
#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast(Figure),
    AtMost(Figure),
    Below(Figure),
}

/// Every goal of what was measured.
pub(crate) fn goals(measured: &Measured) -> Vec<Goal> {
    let mut goals: Vec<Goal> = measured.contests.iter().flat_map(of_contest).collect();
    let measured_many = measured
        .contests
        .iter()
        .any(|contest| contest.connections == MANY);
    if let Some(peak) = measured.server_peak.filter(|_| measured_many) {
        let claim = "the server's memory stays below 100 MB at 256 connections";
        goals.push(goal(
            claim.to_owned(),
            peak,
            Bound::Below(Figure::whole(100)),
        ));
    }
    let claim = format!(
        "three times as many connections as at the peak ({}) get at least 0.80 of its answers",
        measured.overload.connections
    );
    goals.push(goal(claim, measured.overload.goodput, at_least(800)));
    goals
}

fn of_contest(contest: &Contest) -> Vec<Goal> {
    let (server, contract) = (Side::Server, Side::Contract);
    let connections = contest.connections;
    let mut goals = Vec::new();
    let latency = [(1, 1_100), (8, 1_300)];
    for (_, most) in latency.into_iter().filter(|(of, _)| *of == connections) {
        let most = Figure::from_thousandths(most);
        let claim = format!(
            "connections: {connections}: the median latency is at most {} of one durable statement's",
            most.text(1)
        );
        let ratio = contest.latency(server, contract);
        goals.push(goal(claim, ratio, Bound::AtMost(most)));
    }
    if FEW.contains(&connections) {
        goals.push(goal(
            format!("connections: {connections}: no slower than one durable statement per request"),
            contest.rate(server, contract),
            at_least(1_000),
        ));
    }
    if connections == MANY {
        goals.extend(of_many(contest));
    }
    goals
}

fn of_many(contest: &Contest) -> Vec<Goal> {
    let (read, contract, server) = (Side::Read, Side::Contract, Side::Server);
    let claim = |what: &str| format!("connections: {MANY}: {what}");
    let mut goals = vec![
        goal(
            claim("at least 0.60 of the key check and the read alone"),
            contest.rate(server, read),
            at_least(600),
        ),
        goal(
            claim("at least 3 times one durable statement per request"),
            contest.rate(server, contract),
            at_least(3_000),
        ),
        goal(
            claim("on one organisation at least 15 times one durable statement per request"),
            contest.rate(Side::HotServer, Side::HotContract),
            at_least(15_000),
        ),
    ];
    // Where the system does not tell, nothing is claimed: the table shows that it is absent.
    goals.extend(contest.of(server).summary().server_cpu.map(|cpu| {
        let claim = claim("at most 30 µs of the server's processor time a request");
        goal(claim, cpu, Bound::AtMost(Figure::whole(30)))
    }));
    goals.extend(contest.postgres_cpu(server, read).map(|ratio| {
        let claim = claim(
            "PostgreSQL takes at most the processor time of the key check and the read alone",
        );
        goal(claim, ratio, Bound::AtMost(Figure::whole(1)))
    }));
    goals
}

fn goal(claim: String, measured: Figure, bound: Bound) -> Goal {
    Goal {
        claim,
        measured: Cell::figure(measured, 2),
        holds: match bound {
            Bound::AtLeast(least) => measured >= least,
            Bound::AtMost(most) => measured <= most,
            Bound::Below(limit) => measured < limit,
        },
    }
}

fn at_least(thousandths: u64) -> Bound {
    Bound::AtLeast(Figure::from_thousandths(thousandths))
}

#[cfg(test)]
pub(super) mod tests;
