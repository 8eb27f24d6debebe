//! Rounds: contenders in turn, A B A B …, so that whatever else the machine does falls on all of them alike.
//!
//! It refuses means: a median does not care for the one round in which something else ran.

use std::time::Duration;

use super::{
    deployment::Deployment,
    figure::{Figure, median, percentile},
    load::{Answers, Load, LoadError, Until, ready},
    meter::CpuTimes,
    pgbench::{self, PgbenchError, Run, Script},
};

/// Before the rounds the server has this much time to get warm; pgbench leaves out its own first second.
const WARM_UP: Duration = Duration::from_secs(1);

/// What is measured against another.
#[derive(Clone, Debug)]
pub(crate) enum Contender {
    /// The server, over HTTP.
    Http(Load),
    /// PostgreSQL alone.
    Pgbench(Script),
}

/// How often, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) rounds: u32,
    /// Of each contender in each round; whole seconds.
    pub(crate) time: Duration,
}

/// One contender in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) rate: Figure,
    /// Calls a second that were turned away.
    pub(crate) turned_away: Figure,
    pub(crate) median_latency: Duration,
    pub(crate) slow_latency: Duration,
    /// Microseconds of a processor for each answer; `None` where the system does not tell, or there is no server.
    pub(crate) server_cpu: Option<Figure>,
    pub(crate) postgres_cpu: Option<Figure>,
    /// Of whoever asks: the bench, or pgbench.
    pub(crate) load_cpu: Option<Figure>,
}

/// One contender over all rounds: medians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// Answers a second.
    pub(crate) rate: Figure,
    /// Calls a second that were turned away.
    pub(crate) turned_away: Figure,
    /// Milliseconds that half of the answers took at most.
    pub(crate) median_latency: Figure,
    /// Milliseconds that 99 of 100 answers took at most.
    pub(crate) slow_latency: Figure,
    /// Microseconds of a processor that the server took for an answer.
    pub(crate) server_cpu: Option<Figure>,
    /// Microseconds of a processor that PostgreSQL took for an answer.
    pub(crate) postgres_cpu: Option<Figure>,
    /// Microseconds of a processor that asking took.
    pub(crate) load_cpu: Option<Figure>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeasureError {
    /// An answer was not what is measured.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// PostgreSQL alone could not be measured.
    #[error(transparent)]
    Pgbench(#[from] PgbenchError),
}

/// Measures the contenders. Each gets its samples, in the order of the rounds.
///
/// # Errors
/// An answer other than 200, or a pgbench that fails.
pub(crate) async fn interleaved(
    deployment: &Deployment,
    contenders: &[Contender],
    plan: Plan,
) -> Result<Vec<Vec<Sample>>, MeasureError> {
    for contender in contenders {
        if let Contender::Http(load) = contender {
            measure(deployment, load, Until::Elapsed(WARM_UP)).await?;
        }
    }
    let mut samples = vec![Vec::new(); contenders.len()];
    for _ in 0..plan.rounds {
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            samples.push(match contender {
                Contender::Http(load) => {
                    measure(deployment, load, Until::Elapsed(plan.time)).await?
                }
                Contender::Pgbench(script) => {
                    let meter = deployment.meter();
                    let run = pgbench::run(deployment.pgbench(), script.clone(), plan.time, meter);
                    Sample::of_run(&run.await?)
                }
            });
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
    load: &Load,
    until: Until,
) -> Result<Sample, LoadError> {
    let ready = ready(deployment.address(), load.clone()).await?;
    let before = deployment.meter().now();
    let answers = ready.run(until).await?;
    let after = deployment.meter().now();
    let cpu = before.zip(after).map(|(before, after)| after.since(before));
    Ok(Sample::of_answers(&answers, cpu))
}

/// How many times `base` each round's `samples` were, in the median: neighbours in time are compared with each other.
pub(crate) fn ratio(samples: &[Sample], base: &[Sample]) -> Option<Figure> {
    ratio_of(samples, base, |sample| Some(sample.rate))
}

/// As [`ratio`], of any figure; `None` where the system does not tell it.
pub(crate) fn ratio_of(
    samples: &[Sample],
    base: &[Sample],
    figure: fn(&Sample) -> Option<Figure>,
) -> Option<Figure> {
    let pairs = samples.iter().zip(base);
    median(pairs.filter_map(|(sample, base)| Some(figure(sample)?.times(figure(base)?))))
}

impl Sample {
    fn of_answers(answers: &Answers, cpu: Option<CpuTimes>) -> Self {
        let turned_away = answers.turned_away;
        let count = answers.count() + turned_away;
        let each = |time: fn(CpuTimes) -> Duration| {
            cpu.map(|cpu| Figure::microseconds_each(time(cpu), count))
        };
        Self {
            rate: Figure::per_second(answers.count(), answers.elapsed),
            turned_away: Figure::per_second(turned_away, answers.elapsed),
            server_cpu: each(|cpu| cpu.server),
            postgres_cpu: each(|cpu| cpu.postgres),
            load_cpu: each(|cpu| cpu.load),
            ..Self::of_latencies(&answers.latencies)
        }
    }

    fn of_run(run: &Run) -> Self {
        let each = |time: fn(CpuTimes) -> Duration| {
            run.cpu
                .map(|(cpu, count)| Figure::microseconds_each(time(cpu), count))
        };
        Self {
            rate: run.rate,
            // PostgreSQL took some time for its answers: none means that its processes ended while they were counted, and a
            // goal would be reached by that.
            postgres_cpu: each(|cpu| cpu.postgres).filter(|cpu| *cpu > Figure::whole(0)),
            load_cpu: each(|cpu| cpu.load),
            ..Self::of_latencies(&run.latencies)
        }
    }

    fn of_latencies(sorted: &[Duration]) -> Self {
        let latency = |percent| percentile(sorted, percent).unwrap_or_default();
        Self {
            rate: Figure::whole(0),
            turned_away: Figure::whole(0),
            median_latency: latency(50),
            slow_latency: latency(99),
            server_cpu: None,
            postgres_cpu: None,
            load_cpu: None,
        }
    }

    /// Milliseconds that half of the answers took at most.
    pub(crate) fn median_milliseconds(&self) -> Figure {
        Figure::milliseconds(self.median_latency)
    }
}

impl Summary {
    /// Of at least one sample; `None` of none.
    pub(crate) fn of(samples: &[Sample]) -> Option<Self> {
        let all = |of: fn(&Sample) -> Figure| median(samples.iter().map(of));
        let told = |of: fn(&Sample) -> Option<Figure>| median(samples.iter().filter_map(of));
        Some(Self {
            rate: all(|sample| sample.rate)?,
            turned_away: all(|sample| sample.turned_away)?,
            median_latency: all(Sample::median_milliseconds)?,
            slow_latency: all(|sample| Figure::milliseconds(sample.slow_latency))?,
            server_cpu: told(|sample| sample.server_cpu),
            postgres_cpu: told(|sample| sample.postgres_cpu),
            load_cpu: told(|sample| sample.load_cpu),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(answers: u64, server_milliseconds: u64) -> Sample {
        let answers = Answers {
            elapsed: Duration::from_secs(2),
            latencies: (1..=answers).map(Duration::from_millis).collect(),
            turned_away: 0,
        };
        let cpu = CpuTimes {
            server: Duration::from_millis(server_milliseconds),
            ..CpuTimes::default()
        };
        Sample::of_answers(&answers, Some(cpu))
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
    fn what_is_turned_away_is_no_answer_and_costs_time() {
        let answers = Answers {
            elapsed: Duration::from_secs(2),
            latencies: vec![Duration::from_millis(1); 50],
            turned_away: 150,
        };
        let cpu = CpuTimes {
            server: Duration::from_millis(20),
            ..CpuTimes::default()
        };
        let sample = Sample::of_answers(&answers, Some(cpu));
        assert_eq!(
            (sample.rate.text(0), sample.turned_away.text(0)),
            ("25".into(), "75".into())
        );
        assert_eq!(sample.server_cpu.unwrap().text(0), "100");
    }

    #[test]
    fn pgbench_has_no_server() {
        let cpu = CpuTimes {
            postgres: Duration::from_millis(10),
            ..CpuTimes::default()
        };
        let sample = Sample::of_run(&Run {
            rate: Figure::whole(9),
            latencies: vec![Duration::from_millis(3)],
            cpu: Some((cpu, 100)),
        });
        assert_eq!(sample.server_cpu, None);
        assert_eq!(sample.postgres_cpu.unwrap().text(0), "100");
        assert_eq!(sample.median_milliseconds().text(0), "3");
    }

    #[test]
    fn lost_count_of_processor_time_is_absent_and_not_zero() {
        let sample = Sample::of_run(&Run {
            rate: Figure::whole(9),
            latencies: vec![Duration::from_millis(3)],
            cpu: Some((CpuTimes::default(), 100)),
        });
        assert_eq!(sample.postgres_cpu, None);
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
        assert!(ratio_of(&other, &base, |_| None).is_none());
    }
}
