//! The command line: `run`, `doctor`, `journal`, `list`, `explain`.
//!
//! It refuses logic of its own: arguments in, a report out, an exit status that tells a script enough.
//!
//! | file | owns |
//! |---|---|
//! | `arguments` | what can be asked for |
//! | `prepare` | from a target file to a deployment that can be judged |
//! | `judge` | `run` |
//! | `doctor` | `doctor` |
//! | `journal` | `journal`, and what a run tells of it |
//! | `catalogue` | `list`, `explain` |

mod arguments;
mod catalogue;
mod doctor;
mod journal;
mod judge;
mod prepare;
mod prove;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};

/// Everything ended as expected.
const FINE: u8 = 0;
/// Some case ended otherwise than expected.
const FINDINGS: u8 = 1;
/// Nothing was judged.
const COULD_NOT_RUN: u8 = 2;

/// Runs the command of the process' arguments. Exit status: 0 as expected, 1 findings, 2 could not run.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: no threads can be started: {error}");
            return ExitCode::from(COULD_NOT_RUN);
        }
    };
    let outcome = runtime.block_on(async {
        match arguments.command {
            Command::Run(options) => judge::run(options).await,
            Command::Doctor(options) => doctor::run(&options).await,
            Command::Prove(options) => prove::run(&options).await,
            Command::Journal(options) => journal::run(&options),
            Command::List(options) => catalogue::list(&options),
            Command::Explain { case } => catalogue::explain(&case),
        }
    });
    match outcome {
        Ok(true) => ExitCode::from(FINE),
        Ok(false) => ExitCode::from(FINDINGS),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}
