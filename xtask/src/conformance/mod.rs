//! `cargo xtask conformance`: a fresh server of this checkout with the data set, tested by
//! payout-conformance, once or many times.
//!
//! | file | contents |
//! |---|---|
//! | [`options`] | the options |
//! | [`mod@run`] | the command |
//! | [`stage`] | a seeded database, copies of it, and servers on them |
//! | [`target`] | the target file of a copy |
//! | [`relay`] | delays requests to the server |
//! | [`minute`] | the second at which a run begins |
//! | [`judged`] | one run, and how its cases ended |
//! | [`business`] | checksums of all tables but meters |
//! | [`summary`] | many runs together |

mod business;
mod judged;
mod minute;
mod options;
mod relay;
mod run;
pub(crate) mod stage;
mod summary;
mod target;

pub(crate) use options::Options;
pub(crate) use run::run;
