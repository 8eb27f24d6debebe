//! Tests of what only the inside of a server shows; each has a server and a database of its own.
//! payout-conformance proves what a client sees.
//!
//! No test waits for a minute or a month to end: it sets the clock of its database.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

#[path = "../shared/named.rs"]
mod named;
#[path = "../shared/invariants.rs"]
mod state_invariants;
mod support;

mod admission;
mod affiliate;
mod amount;
mod batch_reads;
mod client_examples;
mod crm;
mod disconnect;
mod documented;
mod failures;
mod fuzz_corpus;
mod limits;
mod log;
mod meters;
mod metrics;
mod moves;
mod operations;
mod panics;
mod plans;
mod pooler;
mod portal;
mod proxies;
mod races;
mod row_level_security;
mod s3;
mod session;
mod statements;
mod versions;
