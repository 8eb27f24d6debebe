//! Baselines: what a deployment answered, as a folder of snapshots, and the comparison of a run
//! with one. Our own reviewed responses are a baseline that is compiled into the binary.

mod cases;
mod comparison;
mod difference;
mod folder;
mod form;
mod group;
mod model;
mod noise;
mod run;
mod says;

pub(crate) use comparison::{Comparing, ComparisonReport};
pub(crate) use difference::Compare;
pub(crate) use folder::check;
pub(crate) use group::DifferenceGroup;
pub(crate) use model::{Baseline, FORMAT, Header};
pub(crate) use noise::Noise;
pub(crate) use run::{Mode, Review, Snapshots};
