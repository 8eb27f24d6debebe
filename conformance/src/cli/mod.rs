//! The command line: `run`, `doctor`, `prove`, `faults`, `journal`, `list`, `explain`.

mod arguments;
mod catalogue;
mod doctor;
mod journal;
mod prepare;
mod prove;
mod run;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};

const EXPECTED: u8 = 0;
const UNEXPECTED: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

/// Runs the command of the process' arguments and returns its exit status.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(dispatch(arguments.command)),
        Err(error) => Err(format!("no threads can be started: {error}").into()),
    };
    ExitCode::from(match outcome {
        Ok(true) => EXPECTED,
        Ok(false) => UNEXPECTED,
        Err(error) => {
            eprintln!("error: {error}");
            COULD_NOT_RUN
        }
    })
}

async fn dispatch(command: Command) -> Result<bool, Box<dyn std::error::Error>> {
    match command {
        Command::Run(options) => run::run(options).await,
        Command::Doctor(options) => doctor::run(&options).await,
        Command::Prove(options) => prove::run(*options).await,
        Command::Faults => Ok(prove::list()),
        Command::Journal(options) => journal::run(&options),
        Command::List(options) => catalogue::list(&options),
        Command::Explain { case } => catalogue::explain(&case),
    }
}
