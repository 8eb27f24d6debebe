//! The program `payout-devdata`.

use std::process::ExitCode;

fn main() -> ExitCode {
    payout_devdata::run()
}
