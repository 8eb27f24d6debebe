//! How much is measured: rounds, seconds and connections, from the command line or a subject's
//! defaults.

use std::time::Duration;

use clap::value_parser;

/// Flags of the load profile.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LoadProfileOptions {
    /// Rounds per candidate [default: depends on the subject].
    #[arg(long, value_parser = value_parser!(u32).range(1..=100), value_name = "ROUNDS")]
    rounds: Option<u32>,
    /// Seconds per round [default: depends on the subject].
    #[arg(long, value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Concurrent connections; a comma-separated list is measured one after the other
    /// [default: depends on the subject].
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u16).range(1..=512))]
    #[arg(value_name = "CONNECTIONS")]
    connections: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) rounds: u32,
    pub(crate) seconds: u64,
    pub(crate) connections: &'static [u16],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadProfile {
    pub(crate) rounds: u32,
    /// Of one round of one candidate; whole seconds.
    pub(crate) time: Duration,
    /// Ascending, without duplicates.
    pub(crate) connections: Vec<usize>,
}

impl LoadProfileOptions {
    pub(crate) fn resolve(&self, defaults: Defaults) -> LoadProfile {
        let connections = match self.connections.as_slice() {
            [] => defaults.connections,
            chosen => chosen,
        };
        let mut connections: Vec<usize> = connections.iter().copied().map(usize::from).collect();
        connections.sort_unstable();
        connections.dedup();
        LoadProfile {
            rounds: self.rounds.unwrap_or(defaults.rounds),
            time: Duration::from_secs(self.seconds.unwrap_or(defaults.seconds)),
            connections,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    const DEFAULTS: Defaults = Defaults { rounds: 5, seconds: 2, connections: &[8, 64] };

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: LoadProfileOptions,
    }

    fn parse(line: &str) -> Result<LoadProfile, clap::Error> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.options.resolve(DEFAULTS))
    }

    #[test]
    fn missing_flags_take_the_subjects_defaults() {
        let profile = parse("--rounds 9").unwrap();
        assert_eq!((profile.rounds, profile.time), (9, Duration::from_secs(2)));
        assert_eq!(profile.connections, [8, 64]);
    }

    #[test]
    fn connections_are_sorted_and_deduplicated() {
        let profile = parse("--connections 256,1,8,1 --seconds 1").unwrap();
        assert_eq!(profile.connections, [1, 8, 256]);
        assert_eq!(profile.time, Duration::from_secs(1));
    }

    #[test]
    fn profile_that_measures_nothing_is_rejected() {
        for line in ["--rounds 0", "--seconds 0", "--connections 0", "--connections 513"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
