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

impl Id {
    pub(crate) const fn new(name: &'static str, data: &'static str) -> Self {
        Self { name, data }
    }
}

/// One of several loads that take turns.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: Id,
    pub(crate) load: Load,
}

impl Candidate {
    pub(crate) fn http(id: Id, load: HttpLoad) -> Self {
        let load = Load::Http(load);
        Self { id, load }
    }

    pub(crate) fn pgbench(id: Id, connections: usize, script: String) -> Self {
        let text = script.into();
        let load = Load::Pgbench(Script { connections, text });
        Self { id, load }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Load {
    Http(HttpLoad),
    /// One load per round, each request of which is sent once.
    HttpOnce(Vec<HttpLoad>),
    Pgbench(Script),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) elapsed: Duration,
    /// Of successful requests or transactions; sorted.
    pub(crate) latencies: Vec<Duration>,
    pub(crate) rejected: usize,
    /// `None` where the system has no /proc.
    pub(crate) cpu: Option<CpuTimes>,
}

/// A statistic of a round: an index into [`Sample`] and [`COLUMNS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stat {
    /// Successful requests per second.
    Rate = 0,
    MedianLatency = 1,
    /// Microseconds of the server's processor time per request.
    ServerCpu = 3,
    /// The same of PostgreSQL.
    PostgresCpu = 4,
    /// 503 per second.
    Rejected = 6,
}

/// Column and digits after the point of each stat. Load CPU is that of this process or of pgbench.
pub(crate) const COLUMNS: [(&str, usize); 7] = [
    ("per second", 0),
    ("median ms", 2),
    ("99 % ms", 2),
    ("server CPU µs", 0),
    ("Postgres CPU µs", 0),
    ("load CPU µs", 0),
    ("503 per second", 0),
];

/// The statistics of one round, in the order of [`COLUMNS`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample(pub(crate) [Option<f64>; COLUMNS.len()]);

impl Sample {
    pub(crate) fn get(self, stat: Stat) -> Option<f64> {
        self.0[stat as usize]
    }

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
        assert_eq!(sample.0[2], Some(99.0));
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
}
