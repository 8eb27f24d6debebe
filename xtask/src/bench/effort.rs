//! How much is measured: a subject's own measure, unless the command line says otherwise.
//!
//! It refuses one measure for all: a gate is asked by hundreds at once, and a list is not.

use std::time::Duration;

use clap::value_parser;

use super::rounds::Plan;

/// Flags that every subject understands.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EffortOptions {
    /// How often each contender has its turn [default: each subject's own].
    #[arg(long, value_parser = value_parser!(u32).range(1..=100), value_name = "ROUNDS")]
    rounds: Option<u32>,
    /// How long a turn is, in seconds [default: each subject's own].
    #[arg(long, value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Connections that are held at once; several, separated by commas, are measured one after the other [default: each subject's own].
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u16).range(1..=512), value_name = "CONNECTIONS")]
    connections: Vec<u16>,
}

/// What a subject is measured with where the command line says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) rounds: u32,
    pub(crate) seconds: u64,
    pub(crate) connections: &'static [u16],
}

/// What a subject is measured with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) plan: Plan,
    /// In rising order, each once.
    pub(crate) connections: Vec<usize>,
}

impl EffortOptions {
    /// What was asked for, and the subject's own measure for the rest.
    pub(crate) fn effort(&self, defaults: Defaults) -> Effort {
        let connections = match self.connections.as_slice() {
            [] => defaults.connections,
            chosen => chosen,
        };
        let mut connections: Vec<usize> = connections.iter().copied().map(usize::from).collect();
        connections.sort_unstable();
        connections.dedup();
        Effort {
            plan: Plan {
                rounds: self.rounds.unwrap_or(defaults.rounds),
                time: Duration::from_secs(self.seconds.unwrap_or(defaults.seconds)),
            },
            connections,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    const DEFAULTS: Defaults = Defaults {
        rounds: 5,
        seconds: 2,
        connections: &[8, 64],
    };

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        effort: EffortOptions,
    }

    fn parse(line: &str) -> Result<Effort, clap::Error> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.effort.effort(DEFAULTS))
    }

    #[test]
    fn what_is_not_asked_for_is_the_subjects_own() {
        let effort = parse("--rounds 9").unwrap();
        assert_eq!(
            (effort.plan.rounds, effort.plan.time),
            (9, Duration::from_secs(2))
        );
        assert_eq!(effort.connections, [8, 64]);
    }

    #[test]
    fn connections_are_measured_in_rising_order_and_once() {
        let effort = parse("--connections 256,1,8,1 --seconds 1").unwrap();
        assert_eq!(effort.connections, [1, 8, 256]);
        assert_eq!(effort.plan.time, Duration::from_secs(1));
    }

    #[test]
    fn effort_that_measures_nothing_is_refused() {
        for line in [
            "--rounds 0",
            "--seconds 0",
            "--connections 0",
            "--connections 513",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
