//! The program `payout-faults`: its command line is [`payout_faults::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    payout_faults::cli::run()
}
