//! The program `payout-server`; see [`payout_server::cli`].

use std::process::ExitCode;

/// Faster than the system's allocator for many small allocations on several threads. Its feature
/// `no_thp` keeps huge pages, of which a process this small uses a part, out of its memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    payout_server::cli::run()
}
