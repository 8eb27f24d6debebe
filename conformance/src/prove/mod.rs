//! The suite's proof of itself: which seeded faults it would notice at one deployment, seen through a proxy that shows
//! one fault after the other.
//!
//! | file | contents |
//! |---|---|
//! | `kills` | the cases that noticed each fault last time |
//! | `prover` | the proof itself |
//! | `report` | what is known of each fault at the end |

pub(crate) mod kills;
pub(crate) mod prover;
pub(crate) mod report;

pub(crate) use prover::{Depth, Prover};
pub(crate) use report::{FaultReport, Noticed, ProofReport};
