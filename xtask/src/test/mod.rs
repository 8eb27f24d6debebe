//! `cargo xtask test`: everything that a change must pass, in one command.
//!
//! The way: the chosen steps in order (`step`, `run`) → the commands of each (`check`), whose output is kept back and
//! shown where it matters (`process`) → how each ended (`outcome`). The tests share one Postgres, which this run owns
//! (`database`). It refuses to pass over in silence what it could not check.

mod check;
mod database;
mod outcome;
mod process;
mod run;
mod step;

pub(crate) use run::{Options, run};
