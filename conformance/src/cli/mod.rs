//! The command line: `run`, `record`, `compare`, `doctor`, `prove`, `faults`, `journal`, `list`,
//! `explain`.

mod arguments;
mod catalogue;
mod compare;
mod doctor;
mod journal;
mod prepare;
mod prove;
mod record;
mod run;
mod session;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use arguments::{Arguments, Command};

/// The command line, for its manual pages.
#[must_use]
pub fn program() -> clap::Command {
    Arguments::command()
}

/// Runs the command of the process' arguments and returns its exit status: 0 where all is as
/// expected, 1 where something is not, 2 where nothing was tested.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(dispatch(arguments.command)),
        Err(error) => Err(format!("no threads can be started: {error}").into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

async fn dispatch(command: Command) -> Result<bool, Box<dyn std::error::Error>> {
    match command {
        Command::Run(options) => run::run(*options).await,
        Command::Record(options) => record::run(*options).await,
        Command::Compare(options) => compare::run(*options).await,
        Command::Doctor(options) => doctor::run(&options).await,
        Command::Prove(options) => prove::run(*options).await,
        Command::Faults => Ok(prove::list()),
        Command::Journal(options) => journal::run(&options),
        Command::List(options) => catalogue::list(&options),
        Command::Explain { case } => catalogue::explain(&case),
    }
}
