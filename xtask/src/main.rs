//! The project's own commands: `cargo xtask --help`.

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod bench;
mod cargo;
mod codegen;
mod conformance;
mod deployment;
mod dist;
mod endurance;
mod environment;
mod faults;
// The faults of the server use it too, and more of it.
#[expect(dead_code, reason = "only the faults move an organisation")]
#[path = "../../server/tests/shared/haproxy.rs"]
mod haproxy;
mod http;
mod parallel;
mod program;
mod table;
mod test;
mod tidy;

use std::{error::Error, path::Path, process::ExitCode};

use clap::{Parser, Subcommand};

/// Errors are only printed.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The project's own commands.
///
/// To change the API: edit openapi/api.yaml, run `cargo xtask codegen`, fix the compile errors, run
/// `cargo xtask test`.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Exit status: 0 success, 1 findings, 2 could not run."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate contract, client, index and query descriptions from the OpenAPI document.
    Codegen(codegen::Options),
    /// Lint and freeze the document, and report whom its changes break.
    Contract(openapi_contract::command::Command),
    /// Run everything that a change must pass, in steps that `--only` names.
    Test(test::Options),
    /// Check the rules of this project that neither compiler nor clippy knows, such as imports.
    Tidy,
    /// Build the server and run it with example data; `cargo xtask demo --help` lists the flags.
    #[command(disable_help_flag = true)]
    Demo {
        /// Flags of `payout-devdata demo`, such as --once
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Run the conformance suite against a fresh server of this checkout; write its reports.
    Conformance(conformance::Options),
    /// Show the conformance suite one seeded fault after the other, and report which case notices
    /// which.
    Faults(faults::Options),
    /// Measure the server on this machine, side by side with PostgreSQL; print tables or JSON.
    Bench(bench::Options),
    /// Build what operators install: Debian package, programs, container, checksums.
    Dist(dist::Options),
    /// Run the fault scenarios for minutes or hours, then the fuzz targets; exit status 1 for a
    /// violation.
    Endurance(endurance::Options),
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("xtask is a folder of the project");
    match run(root, Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Runs a command; `false` where it has findings.
fn run(root: &Path, command: Command) -> Result<bool> {
    match command {
        Command::Codegen(options) => codegen::run(root, &options),
        Command::Contract(command) => openapi_contract::command::run(&command),
        Command::Test(options) => Ok(test::run(root, &options)?),
        Command::Tidy => tidy::run(root),
        Command::Demo { arguments } => Ok(cargo::demo(root, &arguments).status()?.success()),
        Command::Conformance(options) => conformance::run(root, &options),
        Command::Faults(options) => Ok(faults::run(root, &options)?),
        Command::Bench(options) => bench::run(root, &options),
        Command::Dist(options) => dist::run(root, &options),
        Command::Endurance(options) => endurance::run(root, &options),
    }
}

/// The options of a command in words, for its tests.
#[cfg(test)]
fn options<O: clap::Args>(words: &str) -> std::result::Result<O, clap::Error> {
    let command = O::augment_args(clap::Command::new("command").no_binary_name(true));
    O::from_arg_matches(&command.try_get_matches_from(words.split_whitespace())?)
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
