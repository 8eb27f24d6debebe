//! `cargo xtask conformance`: a fresh server of this checkout with the data set, tested by
//! payout-conformance, once or many times.

mod business;
pub(crate) mod judged;
mod minute;
mod options;
mod relay;
mod run;
pub(crate) mod stage;
mod summary;
mod target;

pub(crate) use options::Options;
pub(crate) use run::run;
