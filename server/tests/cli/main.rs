//! The command line as a black box: real commands against a real database, one per test. The suite
//! sees HTTP alone.

#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

#[path = "../../../openapi/tests/shared/closed_output.rs"]
mod closed_output;
mod data;
mod keys;
mod moves;
#[path = "../shared/named.rs"]
mod named;
#[path = "../shared/postgres.rs"]
mod postgres;
mod readme;
mod restore;
mod serve;
mod session;
mod spans;
mod support;
mod tls;

const PROGRAM: &str = env!("CARGO_BIN_EXE_payout-server");
/// The folder of sessions and their snapshots.
const FOLDER: &str = "tests/cli";
/// Commands whose output may be closed.
const READ: [&[&str]; 2] = [&["organizations", "list"], &["organizations", "list", "--json"]];
