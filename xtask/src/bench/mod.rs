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

mod activity;
mod batches;
mod comparison;
mod cpu;
mod data;
mod deployment;
mod gate;
mod growth;
mod http;
mod lists;
mod peers;
mod pgbench;
mod report;
mod rounds;
mod run;
mod server_statements;
mod stat;
mod statements;
mod writes;

pub(crate) use run::{Options, run};
