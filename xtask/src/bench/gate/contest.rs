//! Who is measured beside whom on one number of connections, and what they are to each other.
//!
//! It refuses ratios of medians where rounds can be compared: neighbours in time saw the same machine.

use std::sync::Arc;

use super::{
    data::{HOT, ORGANIZATIONS, call, key_name},
    scripts,
};
use crate::bench::{
    call::{Call, Order},
    deployment::Deployment,
    figure::Figure,
    load::Load,
    pgbench::Script,
    rounds::{Contender, MeasureError, Plan, Sample, Summary, interleaved, ratio, ratio_of},
};

/// Who is measured; the order is that of the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// pgbench with the key check and the read alone, over all organisations.
    Read,
    /// pgbench with the whole contract as one durable statement, over all organisations.
    Contract,
    /// The server over all organisations.
    Server,
    /// pgbench with the whole contract, on one organisation.
    HotContract,
    /// The server on one organisation.
    HotServer,
}

pub(crate) const SIDES: [Side; 5] = [
    Side::Read,
    Side::Contract,
    Side::Server,
    Side::HotContract,
    Side::HotServer,
];

/// On more, pgbench keeps PostgreSQL's processes waiting for each other.
const PGBENCH_CONNECTIONS: usize = 64;

/// All sides in turn, the server on one number of connections.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    /// The server's.
    pub(crate) connections: usize,
    /// In the order of [`SIDES`].
    pub(crate) turns: Vec<Turns>,
}

/// One side's rounds.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    pub(crate) side: Side,
    pub(crate) connections: usize,
    pub(crate) samples: Vec<Sample>,
}

/// Three times as many who ask as at the peak, again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overload {
    pub(crate) peak_connections: usize,
    pub(crate) connections: usize,
    pub(crate) peak: Summary,
    pub(crate) overload: Summary,
    /// Answers with 200 a second, in those of the peak.
    pub(crate) goodput: Figure,
}

/// How many times the peak's connections ask at once in an overload.
const OVERLOAD: usize = 3;

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "pgbench, key check and read alone",
            Self::Contract | Self::HotContract => "pgbench, one durable statement",
            Self::Server | Self::HotServer => "server, getPayout",
        }
    }

    pub(crate) fn organizations(self) -> usize {
        match self {
            Self::Read | Self::Contract | Self::Server => ORGANIZATIONS,
            Self::HotContract | Self::HotServer => 1,
        }
    }

    fn contender(self, deployment: &Deployment, connections: usize) -> Contender {
        let script = |text| Contender::Pgbench(Script { connections, text });
        let http = |calls| Contender::Http(load(connections, calls, false));
        match self {
            Self::Read => script(scripts::spread(scripts::READ)),
            Self::Contract => script(scripts::spread(scripts::CONTRACT)),
            Self::HotContract => script(scripts::hot(scripts::CONTRACT)),
            Self::Server => http(all_calls(deployment)),
            Self::HotServer => http(Arc::from([call(HOT, deployment.key(&key_name(HOT)))])),
        }
    }
}

impl Contest {
    /// Measures all sides in turn. On more connections than pgbench can use, it has those on which it was fastest before.
    ///
    /// # Errors
    /// An answer other than 200, or a pgbench that fails.
    pub(crate) async fn hold(
        deployment: &Deployment,
        connections: usize,
        before: &[Self],
        plan: Plan,
    ) -> Result<Self, MeasureError> {
        let connections_of = SIDES.map(|side| match side {
            Side::Server | Side::HotServer => connections,
            Side::Read | Side::Contract | Side::HotContract => {
                pgbench_connections(side, connections, before)
            }
        });
        let pairs = SIDES.into_iter().zip(connections_of);
        let contenders: Vec<_> = pairs
            .clone()
            .map(|(side, connections)| side.contender(deployment, connections))
            .collect();
        let measured = interleaved(deployment, &contenders, plan).await?;
        let turns = pairs
            .zip(measured)
            .map(|((side, connections), samples)| Turns {
                side,
                connections,
                samples,
            });
        Ok(Self {
            connections,
            turns: turns.collect(),
        })
    }

    /// Answers a second of one side in those of another.
    pub(crate) fn rate(&self, side: Side, base: Side) -> Figure {
        let (side, base) = (self.of(side), self.of(base));
        ratio(&side.samples, &base.samples).expect("there is a round")
    }

    /// Median latency of one side in that of another; `None` where as many did not wait at a time.
    pub(crate) fn latency(&self, side: Side, base: Side) -> Option<Figure> {
        let (side, base) = (self.of(side), self.of(base));
        let median = |sample: &Sample| Some(sample.median_milliseconds());
        let ratio = ratio_of(&side.samples, &base.samples, median);
        ratio.filter(|_| side.connections == base.connections)
    }

    /// PostgreSQL's processor time of one side in that of another; `None` where the system does not tell.
    pub(crate) fn postgres_cpu(&self, side: Side, base: Side) -> Option<Figure> {
        let (side, base) = (self.of(side), self.of(base));
        ratio_of(&side.samples, &base.samples, |sample| sample.postgres_cpu)
    }

    pub(crate) fn of(&self, side: Side) -> &Turns {
        let mut turns = self.turns.iter();
        turns
            .find(|turns| turns.side == side)
            .expect("every side has its turns")
    }
}

impl Turns {
    pub(crate) fn summary(&self) -> Summary {
        Summary::of(&self.samples).expect("there is a round")
    }
}

/// As many as the server has, or on many those on which pgbench was fastest before.
fn pgbench_connections(side: Side, connections: usize, before: &[Contest]) -> usize {
    if connections <= PGBENCH_CONNECTIONS {
        return connections;
    }
    let rates = before.iter().map(|contest| {
        let turns = contest.of(side);
        (turns.summary().rate, turns.connections)
    });
    rates
        .max()
        .map_or(PGBENCH_CONNECTIONS, |(_, connections)| connections)
}

impl Overload {
    /// Measures peak and overload in turn, over all organisations.
    ///
    /// # Errors
    /// An answer other than 200 or, in the overload, 503.
    pub(crate) async fn measure(
        deployment: &Deployment,
        peak_connections: usize,
        plan: Plan,
    ) -> Result<Self, MeasureError> {
        let connections = OVERLOAD * peak_connections;
        let contenders = [
            Contender::Http(load(peak_connections, all_calls(deployment), false)),
            Contender::Http(load(connections, all_calls(deployment), true)),
        ];
        let samples = interleaved(deployment, &contenders, plan).await?;
        let summary = |samples: &[Sample]| Summary::of(samples).expect("there is a round");
        Ok(Self {
            peak_connections,
            connections,
            peak: summary(&samples[0]),
            overload: summary(&samples[1]),
            goodput: ratio(&samples[1], &samples[0]).expect("there is a round"),
        })
    }
}

fn load(connections: usize, calls: Arc<[Call]>, is_overload: bool) -> Load {
    Load {
        connections,
        calls,
        order: Order::Drawn,
        is_overload,
    }
}

fn all_calls(deployment: &Deployment) -> Arc<[Call]> {
    let numbers = 0..ORGANIZATIONS;
    numbers
        .map(|number| call(number, deployment.key(&key_name(number))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::gate::goals::tests::{contest, sample};

    #[test]
    fn pgbench_has_as_many_connections_or_its_best() {
        let [mut few, mut many] =
            [8, 64].map(|connections| contest(connections, sample(1, 1, 1, 1), 1));
        few.turns[0].samples[0].rate = Figure::whole(2_000);
        many.turns[3].samples[0].rate = Figure::whole(2_000);
        let before = [few, many];
        assert_eq!(pgbench_connections(Side::Read, 4, &before), 4);
        assert_eq!(pgbench_connections(Side::Read, 256, &before), 8);
        assert_eq!(pgbench_connections(Side::HotContract, 256, &before), 64);
        assert_eq!(pgbench_connections(Side::Read, 256, &[]), 64);
    }

    #[test]
    fn latencies_of_different_numbers_that_wait_do_not_compare() {
        let mut contest = contest(64, sample(1, 1, 1, 1), 1);
        assert!(
            contest
                .latency(Side::HotServer, Side::HotContract)
                .is_some()
        );
        contest.turns[3].connections = 8;
        assert!(
            contest
                .latency(Side::HotServer, Side::HotContract)
                .is_none()
        );
    }
}
