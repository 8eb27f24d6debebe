//! What is measured: a load on the server or on PostgreSQL alone, and the result of one round.

use std::time::Duration;

use super::{
    cpu::CpuTimes,
    http::HttpLoad,
    pgbench::Script,
    stat::{milliseconds, percentile},
};

/// Identifies a candidate in tables and ratios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id {
    /// Such as `server, getPayout`.
    pub(crate) name: &'static str,
    /// Such as `1,000 organisations`.
    pub(crate) data: &'static str,
}

/// One of several loads that take turns.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: Id,
    pub(crate) load: Load,
}

#[derive(Clone, Debug)]
pub(crate) enum Load {
    Http(HttpLoad),
    Pgbench(Script),
}

/// What one round measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) elapsed: Duration,
    /// Of successful requests or transactions; sorted.
    pub(crate) latencies: Vec<Duration>,
    /// Requests that got a 503.
    pub(crate) rejected: usize,
    /// `None` where the system has no /proc.
    pub(crate) cpu: Option<CpuTimes>,
}

/// One statistic of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stat {
    /// Successful requests per second.
    Rate,
    /// Milliseconds.
    MedianLatency,
    /// Milliseconds of the 99th percentile.
    SlowLatency,
    /// Microseconds of processor time per request, of the server.
    ServerCpu,
    /// The same of PostgreSQL.
    PostgresCpu,
    /// The same of the load generator: this process, or pgbench.
    LoadCpu,
    /// 503 per second.
    Rejected,
}

impl Stat {
    pub(crate) const ALL: [Self; 7] = [
        Self::Rate,
        Self::MedianLatency,
        Self::SlowLatency,
        Self::ServerCpu,
        Self::PostgresCpu,
        Self::LoadCpu,
        Self::Rejected,
    ];

    /// The head of its column, and the digits after the point.
    pub(crate) fn column(self) -> (&'static str, usize) {
        match self {
            Self::Rate => ("per second", 0),
            Self::MedianLatency => ("median ms", 2),
            Self::SlowLatency => ("99 % ms", 2),
            Self::ServerCpu => ("server CPU µs", 0),
            Self::PostgresCpu => ("Postgres CPU µs", 0),
            Self::LoadCpu => ("load CPU µs", 0),
            Self::Rejected => ("503 per second", 0),
        }
    }
}

/// The statistics of one round, in the order of [`Stat::ALL`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample([Option<f64>; Stat::ALL.len()]);

impl Sample {
    pub(crate) fn get(self, stat: Stat) -> Option<f64> {
        self.0[stat as usize]
    }

    /// Of a round against the server.
    pub(crate) fn of_http(run: &Run) -> Self {
        let seconds = run.elapsed.as_secs_f64();
        let count = run.latencies.len() + run.rejected;
        let latency = |percent| percentile(&run.latencies, percent).map(milliseconds);
        let cpu_of = |time: fn(CpuTimes) -> Duration| {
            let microseconds = time(run.cpu?).as_secs_f64() * 1e6;
            (count > 0).then(|| microseconds / count as f64)
        };
        Self([
            Some(run.latencies.len() as f64 / seconds),
            latency(50),
            latency(99),
            cpu_of(|cpu| cpu.server),
            cpu_of(|cpu| cpu.postgres),
            cpu_of(|cpu| cpu.load),
            Some(run.rejected as f64 / seconds),
        ])
    }

    /// Of a round of pgbench, which uses no server.
    pub(crate) fn of_pgbench(run: &Run) -> Self {
        let mut sample = Self::of_http(run);
        sample.0[Stat::ServerCpu as usize] = None;
        sample.0[Stat::Rejected as usize] = None;
        sample
    }

    #[cfg(test)]
    pub(crate) fn with(stats: &[(Stat, f64)]) -> Self {
        let mut sample = Self::default();
        for (stat, value) in stats {
            sample.0[*stat as usize] = Some(*value);
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(responses: u64, rejected: usize, server_milliseconds: u64) -> Run {
        Run {
            elapsed: Duration::from_secs(2),
            latencies: (1..=responses).map(Duration::from_millis).collect(),
            rejected,
            cpu: Some(CpuTimes {
                server: Duration::from_millis(server_milliseconds),
                ..CpuTimes::default()
            }),
        }
    }

    #[test]
    fn sample_counts_per_second_and_per_request() {
        let sample = Sample::of_http(&run(100, 0, 50));
        assert_eq!(sample.get(Stat::Rate), Some(50.0));
        assert_eq!(sample.get(Stat::MedianLatency), Some(50.0));
        assert_eq!(sample.get(Stat::SlowLatency), Some(99.0));
        assert_eq!(sample.get(Stat::ServerCpu), Some(500.0));
        assert_eq!(sample.get(Stat::PostgresCpu), Some(0.0));
    }

    #[test]
    fn rejected_requests_cost_time_and_are_no_responses() {
        let sample = Sample::of_http(&run(50, 150, 20));
        assert_eq!(sample.get(Stat::Rate), Some(25.0));
        assert_eq!(sample.get(Stat::Rejected), Some(75.0));
        assert_eq!(sample.get(Stat::ServerCpu), Some(100.0));
    }

    #[test]
    fn pgbench_has_no_server() {
        let sample = Sample::of_pgbench(&run(9, 0, 20));
        assert_eq!(sample.get(Stat::ServerCpu), None);
        assert_eq!(sample.get(Stat::MedianLatency), Some(5.0));
    }

    #[test]
    fn empty_round_has_a_rate_of_zero_and_no_latency() {
        let sample = Sample::of_http(&run(0, 0, 20));
        assert_eq!(sample.get(Stat::Rate), Some(0.0));
        assert_eq!(sample.get(Stat::MedianLatency), None);
        assert_eq!(sample.get(Stat::ServerCpu), None);
    }

    #[test]
    fn stats_are_stored_in_their_order() {
        for (index, stat) in Stat::ALL.into_iter().enumerate() {
            assert_eq!(stat as usize, index);
        }
    }
}
