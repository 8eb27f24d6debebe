//! `cargo xtask faults`: the proof of the conformance suite. Each seeded fault is shown by a proxy
//! in front of the server as it ships; a suite that can be trusted notices every one, and fails on
//! none of the sound servers between them.
//!
//! | file | contents |
//! |---|---|
//! | `run` | the command: build, start servers, prove on each |
//! | `proof` | one server: which faults were noticed there, or which cases failed on a variation |
//! | `table` | all proofs together, and whether they are enough |
//! | `record` | the table of the cases to try first, written anew |

mod proof;
mod record;
mod run;
mod table;

pub(crate) use run::{Options, run};
