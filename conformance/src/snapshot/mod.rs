//! Snapshots: responses as texts, in which names stand for volatile values whose format was
//! checked.

pub(crate) mod kind;
mod normalizer;
pub(crate) mod places;
pub(crate) mod recording;
pub(crate) mod text;

pub(crate) use recording::{KnownCase, Recorded, Recording, Subject};
