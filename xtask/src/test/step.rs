//! The steps, and their commands. Every build is of the whole workspace, so that nothing is built
//! twice (`program::WHOLE`).

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::{clients, deny, process::Done};
use crate::Result;

/// One step of `cargo xtask test`.
pub(super) struct Step {
    /// Its name on the command line.
    pub(super) name: &'static str,
    pub(super) claim: &'static str,
    /// The command that repeats or fixes it.
    pub(super) repeat: &'static str,
    pub(super) run: Run,
}

pub(super) enum Run {
    /// Commands of cargo up to the first that fails; `xtask` is this program.
    Commands(&'static [&'static str]),
    /// Commands with DATABASE_URL.
    OnDatabase(&'static [&'static str]),
    Function(fn(&Path) -> Result<Done>),
}

/// Every step, in the order in which they run: the fastest first.
pub(super) const STEPS: [Step; 14] = [
    Step {
        name: "format",
        claim: "Every file is formatted",
        repeat: "cargo fmt --all",
        run: Run::Commands(&["fmt --all --check -- --color=never"]),
    },
    Step {
        name: "codegen",
        claim: "Every generated file matches the document",
        repeat: "cargo xtask codegen",
        run: Run::OnDatabase(&["xtask codegen --check"]),
    },
    Step {
        name: "contract",
        claim: "The document keeps its rules, breaks no client, and leaves released ones unchanged",
        repeat: "cargo xtask contract check",
        run: Run::Commands(&["xtask contract check"]),
    },
    Step {
        name: "tidy",
        claim: "The rules of `cargo xtask tidy` hold",
        repeat: "cargo xtask tidy",
        run: Run::Commands(&["xtask tidy"]),
    },
    Step {
        name: "deny",
        claim: "The dependencies are allowed and have no known vulnerability",
        repeat: "cargo deny check",
        run: Run::Function(deny::check),
    },
    Step {
        name: "clippy",
        claim: "Clippy has no warning",
        repeat: "cargo clippy --workspace --all-targets",
        run: Run::Commands(&["clippy --locked --workspace --all-targets -- -D warnings"]),
    },
    Step {
        name: "docs",
        claim: "The documentation builds without a broken link",
        repeat: "cargo doc --workspace --no-deps",
        // Libraries and programs, with the features of `program::WHOLE`.
        run: Run::Commands(&["doc --locked --no-deps --lib --bins --workspace --example inspect"]),
    },
    Step {
        name: "example",
        claim: "The generated server of openapi/examples/library is fresh and passes its tests",
        repeat: "cargo xtask test --only example",
        // A project of its own, as a user of the generator has one. Its dependencies have other
        // features than in the workspace, so that no build would be shared. Clippy compiles the
        // tests that run, so that nothing is compiled for clippy alone.
        run: Run::Commands(&[
            "xtask contract codegen --check --config openapi/examples/library/contract.toml",
            "xtask contract lint --config openapi/examples/library/contract.toml",
            "fmt --manifest-path openapi/examples/library/Cargo.toml --check",
            "test --manifest-path openapi/examples/library/Cargo.toml --locked --target-dir \
             target/library --config build.rustc-workspace-wrapper=\"clippy-driver\" --config \
             env.CLIPPY_ARGS=\"-Dwarnings\"",
        ]),
    },
    Step {
        name: "consumers",
        claim: "The registered consumers compile with the client of the document",
        repeat: "cargo xtask contract consumers",
        run: Run::Commands(&["xtask contract consumers"]),
    },
    Step {
        name: "clients",
        claim: "Clients of others' generators work, and others' tools accept the document",
        repeat: "cargo xtask test --only clients",
        run: Run::Function(clients::check),
    },
    Step {
        name: "tests",
        claim: "Every test passes, on PostgreSQL",
        repeat: "cargo test --workspace",
        run: Run::OnDatabase(&["test --locked --workspace --no-fail-fast"]),
    },
    Step {
        name: "conformance",
        claim: "A fresh server of this checkout passes the conformance suite",
        repeat: "cargo xtask conformance",
        // Random requests to each operation.
        run: Run::Commands(&["xtask conformance -- --generate 25"]),
    },
    Step {
        name: "conformance-core",
        claim: "The server has no finding as a deployment of the core profile",
        repeat: "cargo xtask conformance --profile core",
        run: Run::Commands(&["xtask conformance --profile core"]),
    },
    Step {
        name: "faults",
        claim: "The conformance suite notices a sample of the seeded faults",
        repeat: "cargo xtask faults --sample",
        run: Run::Commands(&["xtask faults --sample"]),
    },
];

/// The names of steps for the command line.
pub(super) fn names() -> PossibleValuesParser {
    STEPS.map(|step| PossibleValue::new(step.name).help(step.claim)).into()
}
