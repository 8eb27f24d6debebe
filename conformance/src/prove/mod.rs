//! The suite's proof of itself: which seeded faults it would notice at one deployment, seen through
//! a proxy that shows one fault after the other.

mod kills;
mod prover;

pub(crate) use prover::{Prover, behind_proxy, failed};
