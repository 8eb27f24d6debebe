//! The commands of the program `contract`.

use std::path::PathBuf;

use clap::{Parser as _, Subcommand};

use crate::{Result, breaking, codegen, consumers, coverage, freeze, lint, skeleton};

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the first files of a server: it compiles, and no handler is implemented yet.
    Skeleton(skeleton::Options),
    /// Generate the server's contract, the client and the index of operations from the document.
    Codegen(codegen::Options),
    /// Tell which operations can be generated, and why others cannot.
    Coverage(coverage::Options),
    /// Report what makes a document hard to generate from, or promises what it does not keep.
    Lint(lint::Options),
    /// Report whom the changes from one document to another break, or write the changelog.
    Breaking(breaking::Options),
    /// Compile the registered consumers with the client of the changed document: who breaks, where,
    /// by which change.
    Consumers(consumers::Options),
    /// Copy the document to the released ones, which never change; or check them.
    Freeze(freeze::Options),
    /// Lint the document, compare it with the newest released one, and check the released ones:
    /// what a pull request must pass.
    Check(CheckOptions),
}

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckOptions {
    /// Where documents are; its entries have defaults
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
}

/// Runs a command; `false` where it has findings.
///
/// # Errors
/// It could not run.
pub fn run(command: &Command) -> Result<bool> {
    match command {
        Command::Skeleton(options) => skeleton::run(options),
        Command::Codegen(options) => codegen::run(options),
        Command::Coverage(options) => coverage::run(options),
        Command::Lint(options) => lint::run(options),
        Command::Breaking(options) => breaking::run(options),
        Command::Consumers(options) => consumers::run(options),
        Command::Freeze(options) => freeze::run(options),
        Command::Check(options) => check(options),
    }
}

fn check(options: &CheckOptions) -> Result<bool> {
    let config = options.config.display().to_string();
    let mut passed = true;
    for arguments in [&["lint"][..], &["freeze", "--check"], &["breaking"]] {
        // Parsed, so that every other option has its default.
        let arguments = [&["contract"], arguments, &["--config", &config]].concat();
        passed &= run(&Program::parse_from(arguments).command)?;
    }
    Ok(passed)
}

/// Tools for those who evolve an OpenAPI document.
///
/// From an empty folder: write `openapi/api.yaml`, run `contract lint`, then `contract skeleton`
/// and `cargo run`. After a change of the document run `contract codegen`, and fix what the
/// compiler reports. Before clients depend on it, run `contract freeze`; from then on
/// `contract breaking` tells whom a change breaks, and `contract consumers` where, by compiling the
/// packages that use the client. `contract.toml` names the files; every entry has a default.
#[derive(Debug, clap::Parser)]
#[command(name = "contract", after_help = "Exit status: 0 success, 1 findings, 2 could not run.")]
pub struct Program {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Program::command().debug_assert();
    }
}
