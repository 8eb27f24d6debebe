//! The deployment under test: what all cases of a run share.
//!
//! | file | contents |
//! |---|---|
//! | `state` | [`Deployment`]: client, keys, hooks, invariants, snapshots |
//! | [`fixtures`] | ids of what is in the deployment |
//! | [`budget`] | how many requests and credits a run may use |
//! | [`pace`] | how fast requests may be sent |
//! | [`intents`] | what a case is about to change, written to the journal |

pub(crate) mod budget;
pub(crate) mod fixtures;
pub(crate) mod intents;
pub(crate) mod pace;
mod state;
#[cfg(test)]
pub(crate) mod stub;

pub(crate) use fixtures::Fixtures;
pub(crate) use state::Deployment;
