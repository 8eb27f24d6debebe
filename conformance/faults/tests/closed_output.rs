//! `payout-faults` ends quietly when nobody reads what it prints, as after `| head`.

#[path = "../../../openapi/tests/shared/closed_output.rs"]
mod closed_output;

use std::process::Command;

#[test]
fn list_ends_the_same_without_a_reader() {
    closed_output::ends_the_same_without_a_reader(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payout-faults"));
        command.arg("list");
        command
    });
}
