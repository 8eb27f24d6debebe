//! The program `payout-server`: its command line is [`payout_server::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    payout_server::cli::run()
}
