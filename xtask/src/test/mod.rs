//! `cargo xtask test`: everything that a change must pass.
//!
//! The chosen steps run in order (`step`, `run`); the output of their commands (`check`) is shown
//! only where they fail (`process`), and a summary reports every step (`outcome`). The tests share
//! one PostgreSQL server (`database`). The example of a generated server has commands of its own
//! (`example`), and so have the clients of others (`clients`).

mod check;
mod clients;
mod database;
mod example;
mod outcome;
mod process;
mod run;
mod step;

pub(crate) use run::{Options, run};
