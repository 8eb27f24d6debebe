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

/// On more, pgbench keeps PostgreSQL's processes waiting for each other: there its best is measured as well.
const MANY: usize = 64;

/// All sides in turn on one number of connections.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) connections: usize,
    /// In the order of [`SIDES`].
    pub(crate) turns: Vec<Turns>,
    /// On many connections: pgbench, in the same rounds, on those on which it was fastest before.
    pub(crate) best: Vec<Turns>,
}

/// One side's rounds.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    pub(crate) side: Side,
    pub(crate) connections: usize,
    pub(crate) samples: Vec<Sample>,
}

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
    /// Measures all sides in turn; on many connections pgbench once more, on those on which it was fastest before.
    ///
    /// # Errors
    /// An answer other than 200, or a pgbench that fails.
    pub(crate) async fn hold(
        deployment: &Deployment,
        connections: usize,
        before: &[Self],
        plan: Plan,
    ) -> Result<Self, MeasureError> {
        let mut sides: Vec<_> = SIDES.map(|side| (side, connections)).into();
        sides.extend(bests(connections, before));
        let contenders: Vec<_> = sides
            .iter()
            .map(|(side, connections)| side.contender(deployment, *connections))
            .collect();
        let measured = interleaved(deployment, &contenders, plan).await?;
        let turns = sides.into_iter().zip(measured);
        let mut turns: Vec<_> = turns
            .map(|((side, connections), samples)| Turns {
                side,
                connections,
                samples,
            })
            .collect();
        let best = turns.split_off(SIDES.len());
        Ok(Self {
            connections,
            turns,
            best,
        })
    }

    /// Answers a second of one side in those of another.
    pub(crate) fn rate(&self, side: Side, base: Side) -> Figure {
        let (side, base) = (self.of(side), self.of(base));
        ratio(&side.samples, &base.samples).expect("there is a round")
    }

    /// Median latency of one side in that of another.
    pub(crate) fn latency(&self, side: Side, base: Side) -> Figure {
        let (side, base) = (self.of(side), self.of(base));
        let median = |sample: &Sample| Some(sample.median_milliseconds());
        ratio_of(&side.samples, &base.samples, median).expect("there is a round")
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

/// Each side of pgbench with the number of connections on which it was fastest before.
fn bests(connections: usize, before: &[Contest]) -> Vec<(Side, usize)> {
    if connections <= MANY {
        return Vec::new();
    }
    let best = |side: Side| {
        let before = before.iter();
        let rates = before.map(|contest| (contest.of(side).summary().rate, contest.connections));
        rates.max().map(|(_, connections)| (side, connections))
    };
    let sides = [Side::Read, Side::Contract, Side::HotContract];
    sides.into_iter().filter_map(best).collect()
}

/// Calls that are drawn as pgbench draws.
pub(super) fn load(connections: usize, calls: Arc<[Call]>, is_overload: bool) -> Load {
    Load {
        connections,
        calls,
        order: Order::Drawn,
        is_overload,
    }
}

/// getPayout for each organisation.
pub(super) fn all_calls(deployment: &Deployment) -> Arc<[Call]> {
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
    fn on_many_connections_pgbench_has_its_best_besides() {
        let [mut few, mut many] =
            [8, 64].map(|connections| contest(connections, sample(1, 1, 1, 1), 1));
        few.turns[0].samples[0].rate = Figure::whole(2_000);
        many.turns[3].samples[0].rate = Figure::whole(2_000);
        many.turns[1].samples[0].rate = Figure::whole(2_000);
        let before = [few, many];
        assert!(bests(64, &before).is_empty());
        let expected = [
            (Side::Read, 8),
            (Side::Contract, 64),
            (Side::HotContract, 64),
        ];
        assert_eq!(bests(256, &before), expected);
        assert!(bests(256, &[]).is_empty());
    }
}
