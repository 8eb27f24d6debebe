//! The program `payout-server`; see [`payout_server::cli`].

use std::process::ExitCode;

/// Faster than the system's allocator for many small allocations on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    payout_server::cli::run()
}
