//! `payout-conformance` ends quietly when nobody reads what it prints, as after `| head`.

#[path = "../../openapi/tests/shared/closed_output.rs"]
mod closed_output;

use std::process::Command;

use closed_output::ends_the_same_without_a_reader;

#[test]
fn commands_end_the_same_without_a_reader() {
    let case = "update-partner.key.missing";
    for arguments in [&["list"][..], &["explain", case], &["faults"], &["--help"]] {
        ends_the_same_without_a_reader(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_payout-conformance"));
            command.args(arguments);
            command
        });
    }
}
