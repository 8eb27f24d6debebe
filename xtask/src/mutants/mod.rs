//! `cargo xtask mutants`: the conformance suite's own proof. Each mutant is the server with one clause broken on purpose; a
//! suite that can be trusted fails on every one of them, and never on the sound server.
//!
//! It refuses to know what a mutant breaks: the server tells that itself.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@run`] | the command |
//! | [`idle`] | cases that kill nothing, and why they stay |
//! | [`mod@trial`] | one server, judged |
//! | [`table`] | who killed whom, and whether that is enough |

mod idle;
mod run;
mod table;
mod trial;

pub(crate) use run::{Options, run};
