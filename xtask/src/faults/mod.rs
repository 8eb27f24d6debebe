//! `cargo xtask faults`: the proof of the conformance suite. Each seeded fault is shown by a proxy
//! in front of the server as it ships; a suite that can be trusted notices every one, and fails on
//! none of the sound servers between them.
//!
//! | file | contents |
//! |---|---|
//! | `run` | the command: build, start servers, prove on each |
//! | `proof` | one server: which faults were noticed there |
//! | `table` | all proofs together, and whether they are enough |
//! | `variations` | variations that conform: no case may fail on them |
//! | `record` | the table of the cases to try first, written anew |

mod proof;
mod record;
mod run;
mod table;
mod variations;

pub(crate) use run::{Options, run};
