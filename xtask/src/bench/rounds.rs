//! Rounds: contenders in turn, A B A B …, so that whatever else the machine does falls on all of them alike.
//!
//! It refuses means: a median does not care for the one round in which something else ran.

use std::{sync::Arc, time::Duration};

use super::{
    deployment::{CpuTimes, Deployment},
    figure::{Figure, median, percentile},
    load::{Answers, Call, LoadError, Until, load},
};

/// What is measured against another.
#[derive(Clone, Debug)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Made in turn.
    pub(crate) calls: Arc<[Call]>,
}

/// How often, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) rounds: u32,
    /// Of each contender in each round.
    pub(crate) time: Duration,
}

/// One contender in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) rate: Figure,
    pub(crate) median_latency: Duration,
    pub(crate) slow_latency: Duration,
    /// Microseconds of a processor for each answer; `None` where the system does not tell.
    pub(crate) server_cpu: Option<Figure>,
    pub(crate) postgres_cpu: Option<Figure>,
}

/// One contender over all rounds: medians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// Answers a second.
    pub(crate) rate: Figure,
    /// Milliseconds that half of the answers took at most.
    pub(crate) median_latency: Figure,
    /// Milliseconds that 99 of 100 answers took at most.
    pub(crate) slow_latency: Figure,
    /// Microseconds of a processor that the server took for an answer.
    pub(crate) server_cpu: Option<Figure>,
    /// Microseconds of a processor that PostgreSQL took for an answer.
    pub(crate) postgres_cpu: Option<Figure>,
}

/// Measures the contenders on so many connections, after a round that does not count. Each gets its samples, in the
/// order of the rounds.
///
/// # Errors
/// An answer other than 200.
pub(crate) async fn interleaved(
    deployment: &Deployment,
    contenders: &[Contender],
    connections: usize,
    plan: Plan,
) -> Result<Vec<Vec<Sample>>, LoadError> {
    let mut samples = vec![Vec::new(); contenders.len()];
    for round in 0..=plan.rounds {
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            let sample = measure(
                deployment,
                connections,
                &contender.calls,
                Until::Elapsed(plan.time),
            )
            .await?;
            if round > 0 {
                samples.push(sample);
            }
        }
    }
    Ok(samples)
}

/// One load, with the processor time it took.
///
/// # Errors
/// An answer other than 200.
pub(crate) async fn measure(
    deployment: &Deployment,
    connections: usize,
    calls: &Arc<[Call]>,
    until: Until,
) -> Result<Sample, LoadError> {
    let before = deployment.cpu_times();
    let answers = load(deployment.address(), connections, calls, until).await?;
    Ok(Sample::of(&answers, before.zip(deployment.cpu_times())))
}

/// How many times `base` each round's `samples` were, in the median: neighbours in time are compared with each other.
pub(crate) fn ratio(samples: &[Sample], base: &[Sample]) -> Option<Figure> {
    let pairs = samples.iter().zip(base);
    median(pairs.map(|(sample, base)| sample.rate.times(base.rate)))
}

impl Sample {
    fn of(answers: &Answers, cpu: Option<(CpuTimes, CpuTimes)>) -> Self {
        let count = answers.count();
        let each = |of: fn(&CpuTimes) -> Duration| {
            cpu.map(|(before, after)| {
                Figure::microseconds_each(of(&after).saturating_sub(of(&before)), count)
            })
        };
        let latency = |percent| percentile(&answers.latencies, percent).unwrap_or_default();
        Self {
            rate: Figure::per_second(count, answers.elapsed),
            median_latency: latency(50),
            slow_latency: latency(99),
            server_cpu: each(|times| times.server),
            postgres_cpu: each(|times| times.postgres),
        }
    }
}

impl Summary {
    /// Of at least one sample; `None` of none.
    pub(crate) fn of(samples: &[Sample]) -> Option<Self> {
        let cpu = |of: fn(&Sample) -> Option<Figure>| median(samples.iter().filter_map(of));
        Some(Self {
            rate: median(samples.iter().map(|sample| sample.rate))?,
            median_latency: Figure::milliseconds(median(
                samples.iter().map(|sample| sample.median_latency),
            )?),
            slow_latency: Figure::milliseconds(median(
                samples.iter().map(|sample| sample.slow_latency),
            )?),
            server_cpu: cpu(|sample| sample.server_cpu),
            postgres_cpu: cpu(|sample| sample.postgres_cpu),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(answers: u64, server_milliseconds: u64) -> Sample {
        let latencies = (1..=answers).map(Duration::from_millis).collect();
        let answers = Answers {
            elapsed: Duration::from_secs(2),
            latencies,
        };
        let times = |milliseconds| CpuTimes {
            server: Duration::from_millis(milliseconds),
            postgres: Duration::ZERO,
        };
        Sample::of(
            &answers,
            Some((times(1_000), times(1_000 + server_milliseconds))),
        )
    }

    #[test]
    fn sample_counts_by_the_second_and_by_the_answer() {
        let sample = sample(100, 50);
        assert_eq!(sample.rate.text(0), "50");
        assert_eq!(sample.median_latency, Duration::from_millis(50));
        assert_eq!(sample.slow_latency, Duration::from_millis(99));
        assert_eq!(sample.server_cpu.unwrap().text(0), "500");
    }

    #[test]
    fn one_bad_round_does_not_move_the_summary() {
        let samples = [sample(100, 50), sample(2, 9_000), sample(102, 51)];
        let summary = Summary::of(&samples).unwrap();
        assert_eq!(summary.rate.text(0), "50");
        assert_eq!(summary.server_cpu.unwrap().text(0), "500");
        assert!(Summary::of(&[]).is_none());
    }

    #[test]
    fn ratio_compares_neighbours() {
        // The machine got half as fast after the first round, for both.
        let (base, other) = (
            [sample(100, 1), sample(50, 1)],
            [sample(90, 1), sample(45, 1)],
        );
        assert_eq!(ratio(&other, &base).unwrap().text(2), "0.90");
        assert!(ratio(&[], &[]).is_none());
    }
}
