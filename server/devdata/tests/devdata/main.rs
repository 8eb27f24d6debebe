//! The program as a black box: real commands against a real database, one per test.

#[path = "../../../../openapi/tests/shared/closed_output.rs"]
mod closed_output;
mod demo;
mod import;
mod organizations;
mod seed;
#[path = "../../../tests/cli/support.rs"]
mod support;
mod target;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_payout-devdata");
