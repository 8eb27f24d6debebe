//! `cargo xtask bench`: measures the release build on this machine, side by side with PostgreSQL
//! alone and with an earlier build.
//!
//! Candidates take turns in short rounds, so that other load on the machine affects all of them
//! alike. Ratios within one run are comparable, rates of different runs are not.

#![expect(
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "measurements are rates and ratios; no money is computed here"
)]

mod batches;
mod comparison;
mod cpu;
mod deployment;
mod gate;
mod http;
mod lists;
mod pgbench;
mod portal;
mod redirects;
mod report;
mod rounds;
mod run;
mod stat;
mod statements;
mod writes;

pub(crate) use run::{Options, run};
