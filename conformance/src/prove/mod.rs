//! The suite's proof of itself: which seeded faults it would notice at one deployment, seen through
//! a proxy that shows one fault after the other.
//!
//! | file | contents |
//! |---|---|
//! | `kills` | the cases that noticed each fault when the table was recorded |
//! | `prover` | the proof itself |

mod kills;
mod prover;

pub(crate) use prover::{Depth, Prover, behind_proxy, failed};
