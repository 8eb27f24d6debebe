//! What the rehearsals of a failover and of an upgrade share: a load with a record of every
//! response, and the comparison of this record with the database.

mod attempt;
mod journal;
mod judge;
mod load;
mod tables;

pub(super) use self::{
    attempt::Attempt,
    journal::Journal,
    judge::{Finding, Harm, Verdict, judge},
    load::Load,
    tables::{Before, connect, evidence},
};

#[cfg(test)]
pub(super) use self::attempt::Kind;

/// Organisations of `payout-devdata organizations`. The lines of the second half are detached
/// again, so that the amounts of the first half may only grow.
pub(super) const ORGANIZATIONS: usize = 16;
pub(super) const GROWING: usize = ORGANIZATIONS / 2;

/// The description of the line that an operation creates. Its number finds its rows again.
pub(super) fn description(operation: u64) -> String {
    format!("operation {operation}")
}
