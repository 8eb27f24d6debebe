//! The program `payout-conformance`: its command line is [`payout_conformance::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    payout_conformance::cli::main()
}
