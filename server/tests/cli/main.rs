//! The command line as a black box: real commands against a real database, one per test.

mod data;
mod hooks;
mod idempotency;
mod keys;
mod organizations;
mod payouts;
mod readme;
mod serve;
mod statements;
mod support;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_payout-server");
