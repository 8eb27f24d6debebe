//! `cargo xtask test`: everything that a change must pass.
//!
//! The chosen steps (`step`) run in order (`run`); the output of their commands is shown only where
//! they fail (`process`), and a summary reports every step. Two steps need more than commands:
//! `deny`, and the clients of others (`clients`).

mod clients;
mod deny;
mod process;
mod run;
mod step;

pub(crate) use run::{Options, run};
