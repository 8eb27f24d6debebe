//! The commands of the program `contract`.

use std::path::PathBuf;

use clap::{Parser as _, Subcommand};

use crate::{Result, breaking, consumers, coverage, freeze, lint, project, skeleton};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the first files of a server: it compiles, and no handler is implemented yet
    Skeleton(skeleton::Options),
    /// Generate the server's contract, the client and the index of operations from the document
    Codegen(project::Options),
    /// List the operations that cannot be generated, with the reasons
    Coverage(coverage::Options),
    /// Report what makes a document hard to generate from, or promises what it does not keep
    Lint(lint::Options),
    /// Report whom the changes from one document to another break, or write the changelog
    Breaking(breaking::Options),
    /// List the changes, and compile the registered consumers with the changed document's client
    Consumers(consumers::Options),
    /// Copy the document to the released ones, which never change; or check them
    Freeze(freeze::Options),
    /// Lint the document, check the released ones, and report breaking changes: what a pull request
    /// must pass
    Check(CheckOptions),
}

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckOptions {
    /// The configuration, which names the documents; its entries have defaults
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
}

/// Runs a command, and returns `false` if it has findings.
pub fn run(command: &Command) -> Result<bool> {
    match command {
        Command::Skeleton(options) => skeleton::run(options),
        Command::Codegen(options) => project::run(options),
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
/// `contract breaking` reports whom a change breaks, and `contract consumers` where, by compiling
/// the packages that use the client. `contract.toml` names the files; every entry has a default.
#[derive(Debug, clap::Parser)]
#[command(name = "contract", after_help = "Exit status: 0 success, 1 findings, 2 could not run.")]
pub struct Program {
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
