//! Snapshots: responses as texts, in which names stand for volatile values whose format was
//! checked. A baseline is a folder of them; our own reviewed ones are compiled into the binary.

mod baseline;
mod cases;
mod comparison;
mod difference;
mod folder;
mod form;
mod group;
pub(crate) mod kind;
mod noise;
mod normalizer;
mod places;
mod recording;
mod run;
mod says;
mod text;

pub(crate) use baseline::{Baseline, FORMAT, Header};
pub(crate) use comparison::{Comparing, ComparisonReport};
pub(crate) use difference::Compare;
pub(crate) use folder::check;
pub(crate) use group::DifferenceGroup;
pub(crate) use noise::Noise;
pub(crate) use recording::{KnownCase, Recorded, Recording, Subject};
pub(crate) use run::{Mode, Review, Snapshots};
