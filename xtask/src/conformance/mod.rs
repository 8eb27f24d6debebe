//! `cargo xtask conformance`: a fresh server of this checkout with the data set, judged by payout-conformance; and the proof
//! that the suite can be trusted, by judging again and again.
//!
//! It refuses to know a case: it builds, starts, hands over, and compares what came.
//!
//! | file | owns |
//! |---|---|
//! | [`options`] | what can be asked |
//! | [`mod@run`] | the command |
//! | [`stage`] | a seeded database, copies of it, and servers on them |
//! | [`target`] | what the suite is told of a copy |
//! | [`relay`] | a way to the server that is long |
//! | [`minute`] | the second at which a run begins |
//! | [`judged`] | one run, and how its cases ended |
//! | [`business`] | a checksum over all that is no meter |
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
