//! `cargo xtask bench`: what the server costs, measured on this machine in one run, so that figures compare.
//!
//! It refuses to compare runs: what else a machine does changes every figure, and ratios within a run hardly.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@run`] | arguments, subjects, what is told at the end |
//! | [`effort`] | rounds, seconds and connections, asked for or a subject's own |
//! | [`gate`] | admission beside pgbench, overload |
//! | [`lists`] | a list's first page and its end, beside OFFSET |
//! | [`statements`] | documents, repeated and first calls, downloads |
//! | [`deployment`] | a server of the release build on a PostgreSQL of its own, with data |
//! | [`load`] | calls over HTTP, from this process |
//! | [`call`] | what is called, and in which order |
//! | [`connection`] | one HTTP/1.1 connection, as lean as it can be |
//! | [`pgbench`] | statements on PostgreSQL alone |
//! | [`rounds`] | contenders in turn, and medians of what they did |
//! | [`cpu`] | processor time and memory of processes |
//! | [`meter`] | whose processor time is whose |
//! | [`figure`] | rates, ratios and percentiles without floating point |
//! | [`machine`] | where figures come from |
//! | [`report`] | tables and JSON |
//! | [`columns`] | columns that several tables have |
//! | [`record`] | the last figures, kept in `server/BENCH.md` |

mod call;
mod columns;
mod connection;
mod cpu;
mod deployment;
mod effort;
mod figure;
mod gate;
mod lists;
mod load;
mod machine;
mod meter;
mod pgbench;
mod record;
mod report;
mod rounds;
mod run;
mod statements;

pub(crate) use run::{Options, run};
