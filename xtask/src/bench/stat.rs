//! The statistics of a round, medians and percentiles.

use std::time::Duration;

use super::cpu::CpuTimes;

/// The responses of a round, and its processor time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    pub(crate) elapsed: Duration,
    /// Sorted latencies of successful requests or transactions.
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
    /// Microseconds of PostgreSQL's processor time per request.
    PostgresCpu = 4,
    /// 503 per second.
    Rejected = 6,
}

/// Head and digits after the point of the first stats, those of every table of comparisons. Load
/// CPU is that of this process or of pgbench.
pub(crate) const COLUMNS: [(&str, usize); 7] = [
    ("per second", 0),
    ("median ms", 2),
    ("99 % ms", 2),
    ("server CPU µs", 0),
    ("Postgres CPU µs", 0),
    ("load CPU µs", 0),
    ("503 per second", 0),
];

/// The statistics of one round, by [`Stat`]; `None` where one is not available.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample(pub(crate) [Option<f64>; COLUMNS.len()]);

impl Round {
    /// Counts successes and rejections.
    fn responses(&self) -> usize {
        self.latencies.len() + self.rejected
    }

    pub(crate) fn sample(&self) -> Sample {
        let per_second = |count: usize| Some(count as f64 / self.elapsed.as_secs_f64());
        let latency = |percent| Some(percentile(&self.latencies, percent)?.as_secs_f64() * 1e3);
        let responses = self.responses();
        let cpu = |time: fn(CpuTimes) -> Duration| {
            let cpu = self.cpu.filter(|_| responses > 0)?;
            Some(time(cpu).as_secs_f64() * 1e6 / responses as f64)
        };
        Sample([
            per_second(self.latencies.len()),
            latency(50),
            latency(99),
            cpu(|cpu| cpu.server),
            cpu(|cpu| cpu.postgres),
            cpu(|cpu| cpu.load),
            per_second(self.rejected),
        ])
    }
}

impl Sample {
    pub(crate) fn get(self, stat: Stat) -> Option<f64> {
        self.0[stat as usize]
    }

    /// Removes what a round of pgbench, which uses no server, does not have.
    pub(crate) fn without_server(mut self) -> Self {
        self.0[Stat::ServerCpu as usize] = None;
        self.0[Stat::Rejected as usize] = None;
        self
    }

    #[cfg(test)]
    pub(crate) fn with(stats: &[(Stat, f64)]) -> Self {
        let mut sample = Self::default();
        stats.iter().for_each(|(stat, value)| sample.0[*stat as usize] = Some(*value));
        sample
    }
}

/// The middle value; of an even count the lower one.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    percentile(&values, 50)
}

/// The smallest of the sorted values that at least `percent` per cent do not exceed.
fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Converts bytes to units of 10^6 bytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(responses: u64, rejected: usize, server_milliseconds: u64) -> Round {
        Round {
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
        let sample = round(100, 0, 50).sample();
        assert_eq!(sample.get(Stat::Rate), Some(50.0));
        assert_eq!(sample.get(Stat::MedianLatency), Some(50.0));
        assert_eq!(sample.0[2], Some(99.0));
        assert_eq!(sample.get(Stat::ServerCpu), Some(500.0));
        assert_eq!(sample.get(Stat::PostgresCpu), Some(0.0));
    }

    #[test]
    fn rejected_requests_cost_time_and_are_no_responses() {
        let sample = round(50, 150, 20).sample();
        assert_eq!(sample.get(Stat::Rate), Some(25.0));
        assert_eq!(sample.get(Stat::Rejected), Some(75.0));
        assert_eq!(sample.get(Stat::ServerCpu), Some(100.0));
    }

    #[test]
    fn percentiles_are_measured_values() {
        let sorted: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&sorted, 50), Some(50));
        assert_eq!(percentile(&sorted, 99), Some(99));
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile::<u64>(&[], 50), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.0));
    }
}
