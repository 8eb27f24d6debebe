//! Snapshots: reviewed texts of responses, one file per case, operation and status, compiled into
//! the binary. Volatile values are replaced by names after their format was checked.

mod accepted;
mod group;
mod judge;
pub(crate) mod kind;
mod normalizer;
mod places;
mod text;

pub(crate) use judge::{Mode, Recorded, Snapshots, Subject};
