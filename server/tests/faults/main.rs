//! Fault tests: two server processes on one database, loaded over HTTP while a process is killed or
//! stopped, a resource is exhausted or a period ends; afterwards the invariants are checked, of the
//! responses and in SQL. The suite does nothing to its deployment.
//!
//! `PAYOUT_FAULT_SCALE` sets duration and repetitions (1 is the quick form, part of every test
//! run), `PAYOUT_FAULT_SEED` the random choices; `PAYOUT_FAULT_HISTORY` runs one of the random
//! histories alone. `cargo xtask endurance` runs these scenarios
//! longer, with one seed after the other.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

#[path = "../shared/haproxy.rs"]
mod haproxy;
#[path = "../shared/postgres.rs"]
mod postgres;
#[path = "../shared/invariants.rs"]
mod state_invariants;
mod support;

mod conversions;
mod exactness;
mod histories;
mod month_end;
mod moves;
mod pool_exhausted;
mod postgres_killed;
mod replica_killed;
mod revocation;
