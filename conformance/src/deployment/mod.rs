//! The deployment under test: what all cases of a run share.

pub(crate) mod budget;
mod controls;
pub(crate) mod deadline;
pub(crate) mod fixtures;
pub(crate) mod intents;
pub(crate) mod own_changes;
pub(crate) mod pace;
mod state;
#[cfg(test)]
pub(crate) mod stub;

pub(crate) use fixtures::Fixtures;
pub(crate) use state::Deployment;
