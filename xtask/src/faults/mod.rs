//! `cargo xtask faults`: the proof of the conformance suite. Each seeded fault is shown by a proxy
//! in front of the server as it ships; a suite that can be trusted notices every one, and fails on
//! none of the sound servers between them.

mod proof;
mod record;
mod run;
mod table;

pub(crate) use run::{Options, run};
