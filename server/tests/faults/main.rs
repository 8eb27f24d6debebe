//! Proof under faults: two server processes on one database, loaded over HTTP while something dies, stops, fills up or
//! turns over; afterwards the laws are asked, of the answers and in SQL.
//!
//! It refuses to know how admission works inside: it sees requests, answers, and what the tables say in the end.
//!
//! `PAYOUT_FAULT_SCALE` says how long and how often (1 is the quick form, part of every test run), `PAYOUT_FAULT_SEED`
//! what happens when. `cargo xtask endurance` runs these very scenarios longer, with one seed after the other.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

#[path = "../shared/laws.rs"]
mod state_laws;
mod support;

mod exactness;
mod long_snapshot;
mod month_end;
mod pool_exhausted;
mod postgres_killed;
mod postgres_restarted;
mod replica_killed;
mod revocation;
