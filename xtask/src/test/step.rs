//! The steps, and their cargo commands. Every build is of the whole workspace, so that nothing is
//! built twice (`program::WHOLE`).

use clap::{ValueEnum, builder::PossibleValue};

/// One step of `cargo xtask test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Every file is formatted
    Format,
    /// Every generated file matches the document
    Codegen,
    /// The document keeps its rules, breaks no client, and leaves released ones unchanged
    Contract,
    /// The rules of `cargo xtask tidy` hold
    Tidy,
    /// The dependencies are allowed and have no known vulnerability
    Deny,
    /// Clippy has no warning
    Clippy,
    /// The documentation builds without a broken link
    Docs,
    /// The generated server of openapi/examples/library is fresh and passes its tests
    Example,
    /// The registered consumers compile with the client of the document
    Consumers,
    /// Clients of others' generators work, and others' tools accept the document
    Clients,
    /// Every test passes, on PostgreSQL
    Tests,
    /// A fresh server of this checkout passes the conformance suite
    Conformance,
    /// The server has no finding as a deployment of the core profile
    ConformanceCore,
    /// The conformance suite notices a sample of the seeded faults
    Faults,
}

impl Step {
    /// Every step, in the order in which they run: the fastest first.
    pub(crate) const ALL: [Self; 14] = [
        Self::Format,
        Self::Codegen,
        Self::Contract,
        Self::Tidy,
        Self::Deny,
        Self::Clippy,
        Self::Docs,
        Self::Example,
        Self::Consumers,
        Self::Clients,
        Self::Tests,
        Self::Conformance,
        Self::ConformanceCore,
        Self::Faults,
    ];

    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.value().get_name().to_owned()
    }

    /// Returns its claim, which `--help` prints too.
    pub(crate) fn claim(self) -> String {
        self.value().get_help().map(ToString::to_string).unwrap_or_default()
    }

    fn value(self) -> PossibleValue {
        self.to_possible_value().expect("no step is hidden")
    }

    /// The command that repeats or fixes it.
    pub(crate) fn repeat_command(self) -> &'static str {
        match self {
            Self::Format => "cargo fmt --all",
            Self::Codegen => "cargo xtask codegen",
            Self::Contract => "cargo xtask contract check",
            Self::Tidy => "cargo xtask tidy",
            Self::Deny => "cargo deny check",
            Self::Clippy => "cargo clippy --workspace --all-targets",
            Self::Docs => "cargo doc --workspace --no-deps",
            Self::Example => "cargo xtask test --only example",
            Self::Consumers => "cargo xtask contract consumers",
            Self::Clients => "cargo xtask test --only clients",
            Self::Tests => "cargo test --workspace",
            Self::Conformance => "cargo xtask conformance",
            Self::ConformanceCore => "cargo xtask conformance --profile core",
            Self::Faults => "cargo xtask faults --sample",
        }
    }

    /// Arguments of cargo; empty for `deny`, `example`, `clients` and commands of this program.
    pub(crate) fn cargo_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Format => &["fmt", "--all", "--check", "--", "--color=never"],
            Self::Clippy => {
                &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]
            }
            // Libraries and programs, with the features of `program::WHOLE`.
            Self::Docs => &[
                "doc",
                "--locked",
                "--no-deps",
                "--lib",
                "--bins",
                "--workspace",
                "--example",
                "inspect",
            ],
            Self::Tests => &["test", "--locked", "--workspace", "--no-fail-fast"],
            Self::Codegen
            | Self::Contract
            | Self::Tidy
            | Self::Deny
            | Self::Example
            | Self::Consumers
            | Self::Clients
            | Self::Conformance
            | Self::ConformanceCore
            | Self::Faults => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_runs_and_says_what_it_claims() {
        assert_eq!(Step::ALL, Step::value_variants());
        assert!(Step::ALL.iter().all(|step| !step.claim().is_empty()));
        assert_eq!(Step::Format.name(), "format");
    }
}
