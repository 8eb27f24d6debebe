//! `cargo xtask conformance`: a fresh server of this checkout with the data set, tested by
//! payout-conformance, once or many times.

mod cells;
mod options;
mod run;
mod suite_run;
mod summary;
mod tables;
mod test_bed;

pub(crate) use options::Options;
pub(crate) use run::run;
pub(crate) use suite_run::{SuiteRun, run_suite};
pub(crate) use test_bed::TestBed;
