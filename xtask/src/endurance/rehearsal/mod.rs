//! What the rehearsals of a failover and of an upgrade share: a load with a record of every
//! response, and the comparison of this record with the database.

mod attempt;
mod journal;
mod judge;
mod load;
mod tables;

use std::sync::Arc;

#[cfg(test)]
pub(super) use self::attempt::Kind;
pub(super) use self::{
    attempt::Attempt,
    journal::Journal,
    judge::{Finding, Harm, Verdict, excerpt, judge},
    load::Load,
    tables::{Before, connect, evidence},
};

use crate::{Result, deployment::Installation};

/// Organisations of `payout-devdata organizations`. The lines of the second half are detached
/// again, so that the amounts of the first half may only grow.
const ORGANIZATIONS: usize = 16;
pub(super) const GROWING: usize = ORGANIZATIONS / 2;

/// The description of the line that an operation creates. Its number finds its rows again.
pub(super) fn description(operation: u64) -> String {
    format!("operation {operation}")
}

/// Creates schema and organisations, the last of which the load leaves alone; returns the keys of
/// the others.
pub(super) fn fill(installation: &Installation) -> Result<Arc<[String]>> {
    let keys = installation.fill(&["organizations", &(ORGANIZATIONS + 1).to_string()])?;
    let key = |number| keys[&format!("PAYOUT_KEY_BENCH_{number}_ALL")].clone();
    Ok((0..ORGANIZATIONS).map(key).collect())
}
