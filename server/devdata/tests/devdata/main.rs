//! The program as a black box: real commands against a real database.

#[path = "../../../../openapi/tests/shared/closed_output.rs"]
mod closed_output;
#[path = "../../../tests/cli/data.rs"]
#[expect(dead_code, reason = "only tests of the server run statements of their own")]
mod data;
mod demo;
#[path = "../../../tests/shared/named.rs"]
mod named;
#[path = "../../../tests/cli/session.rs"]
mod session;
#[path = "../../../tests/cli/support.rs"]
#[expect(dead_code, reason = "only tests of the server run commands outside of sessions")]
mod support;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_payout-devdata");
/// The folder of sessions and their snapshots.
const FOLDER: &str = "tests/devdata";
/// Commands whose output may be closed.
const READ: [&[&str]; 1] = [&[
    "import",
    "--check",
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/dataset.json"),
]];
