//! The program `payout-server`: its command line is [`payout_server::cli`].

use std::process::ExitCode;

/// Requests are many small pieces of memory on several threads, which it serves with less work than the system's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    payout_server::cli::run()
}
