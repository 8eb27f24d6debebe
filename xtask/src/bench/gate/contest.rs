//! Who is measured beside whom on one number of connections, and what they are to each other.
//!
//! It refuses ratios of medians where rounds can be compared: neighbours in time saw the same machine.

use std::sync::Arc;

use super::{
    data::{HOT, ORGANIZATIONS, call, key_name},
    scripts,
};
use crate::bench::{
    deployment::Deployment,
    figure::Figure,
    load::{Call, Load, Order},
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

/// All sides on one number of connections.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) connections: usize,
    /// For each side, in the order of [`SIDES`], its rounds.
    pub(crate) samples: Vec<Vec<Sample>>,
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
    /// Measures all sides in turn.
    ///
    /// # Errors
    /// An answer other than 200, or a pgbench that fails.
    pub(crate) async fn hold(
        deployment: &Deployment,
        connections: usize,
        plan: Plan,
    ) -> Result<Self, MeasureError> {
        let contenders = SIDES.map(|side| side.contender(deployment, connections));
        let samples = interleaved(deployment, &contenders, plan).await?;
        Ok(Self {
            connections,
            samples,
        })
    }

    pub(crate) fn summary(&self, side: Side) -> Summary {
        Summary::of(self.of(side)).expect("there is a round")
    }

    /// Answers a second of one side in those of another.
    pub(crate) fn rate(&self, side: Side, base: Side) -> Figure {
        ratio(self.of(side), self.of(base)).expect("there is a round")
    }

    /// Median latency of one side in that of another.
    pub(crate) fn latency(&self, side: Side, base: Side) -> Figure {
        let median = |sample: &Sample| Some(sample.median_milliseconds());
        ratio_of(self.of(side), self.of(base), median).expect("there is a round")
    }

    /// PostgreSQL's processor time of one side in that of another; `None` where the system does not tell.
    pub(crate) fn postgres_cpu(&self, side: Side, base: Side) -> Option<Figure> {
        ratio_of(self.of(side), self.of(base), |sample| sample.postgres_cpu)
    }

    fn of(&self, side: Side) -> &[Sample] {
        let index = SIDES.iter().position(|other| *other == side);
        &self.samples[index.expect("every side has its turn")]
    }
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
