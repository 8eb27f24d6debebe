//! `cargo xtask conformance`: a fresh server of this checkout with the data set, judged by payout-conformance.
//!
//! It refuses to know a case: it builds, starts, and hands over.
//!
//! | file | owns |
//! |---|---|
//! | [`stage`] | a seeded database, copies of it, and servers on them |
//! | [`mod@run`] | the command |

mod run;
pub(crate) mod stage;

pub(crate) use run::{Options, run};
