//! The command `contract`: `contract --help`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use openapi_contract::{breaking, codegen, freeze, lint, skeleton};

/// Tools for those who evolve an OpenAPI document.
#[derive(Debug, Parser)]
#[command(name = "contract", after_help = "Exit status: 0 success, 1 findings, 2 could not run.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate the server's contract, the client and the index of operations from the document.
    Codegen(codegen::Options),
    /// Write the first files of a server: it compiles, and no handler is implemented yet.
    Skeleton(skeleton::Options),
    /// Report what makes a document hard to generate from, or promises what it does not keep.
    Lint(lint::Options),
    /// Report whom the changes from one document to another break, or write the changelog.
    Breaking(breaking::Options),
    /// Copy the document to the released ones, which never change; or check them.
    Freeze(freeze::Options),
}

fn main() -> ExitCode {
    let ended = match Arguments::parse().command {
        Command::Codegen(options) => codegen::run(&options),
        Command::Skeleton(options) => skeleton::run(&options),
        Command::Lint(options) => lint::run(&options),
        Command::Breaking(options) => breaking::run(&options),
        Command::Freeze(options) => freeze::run(&options),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
