//! The steps, and the commands each one runs.
//!
//! It refuses two sets of flags: every build is of the whole workspace, so that nothing is built twice (`cargo::WHOLE`).

use clap::{ValueEnum, builder::PossibleValue};

/// One step of `cargo xtask test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Every file is as rustfmt writes it
    Format,
    /// Every generated file is what the document asks for
    Codegen,
    /// The house rules hold that the compiler does not know
    Tidy,
    /// The dependencies are allowed, and have no known fault
    Deny,
    /// Clippy has nothing to say
    Clippy,
    /// The documentation can be built, and every link in it leads somewhere
    Docs,
    /// Every test passes, on a real Postgres
    Tests,
    /// A fresh server of this checkout conforms
    Conformance,
    /// The conformance suite sees faults that are put into the server: five of them, each of another kind
    Faults,
}

impl Step {
    /// In the order in which they run: what is told soonest comes first.
    pub(crate) const ALL: [Self; 9] = [
        Self::Format,
        Self::Codegen,
        Self::Tidy,
        Self::Deny,
        Self::Clippy,
        Self::Docs,
        Self::Tests,
        Self::Conformance,
        Self::Faults,
    ];

    /// As it is named on the command line.
    pub(crate) fn name(self) -> String {
        self.value().get_name().to_owned()
    }

    /// What it claims; `--help` says the same.
    pub(crate) fn claim(self) -> String {
        self.value()
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    fn value(self) -> PossibleValue {
        self.to_possible_value().expect("no step is hidden")
    }

    /// What mends most of its failures.
    pub(crate) fn mend(self) -> &'static str {
        match self {
            Self::Format => "cargo fmt --all",
            Self::Codegen => "cargo xtask codegen",
            Self::Tidy => "cargo xtask tidy",
            Self::Deny => "cargo deny check",
            Self::Clippy => "cargo clippy --workspace --all-targets",
            Self::Docs => "cargo doc --workspace --no-deps",
            Self::Tests => "cargo test --workspace",
            Self::Conformance => "cargo xtask conformance",
            Self::Faults => "cargo xtask faults --sample",
        }
    }

    /// What it gives to cargo; empty for the commands of this very program, and for `deny`, which asks first.
    pub(crate) fn cargo_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Format => &["fmt", "--all", "--check", "--", "--color=never"],
            Self::Clippy => &[
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            // As `cargo::WHOLE` says; what is documented without these flags are libraries and programs.
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
            Self::Codegen | Self::Tidy | Self::Deny | Self::Conformance | Self::Faults => &[],
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
