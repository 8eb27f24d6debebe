//! The command line of `payout-devdata`, and the dispatch to its commands.

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};
use payout_server::tools::DatabaseOptions;

use crate::{Error, demo, generate, import_command, organizations, seed, target};

/// Developer tools of payout-server: test data, and a demo.
///
/// `demo` shows the API at work and needs nothing but an installed PostgreSQL. The other commands
/// fill the database of a server; run `payout-server migrate` first.
#[derive(Debug, Parser)]
#[command(name = "payout-devdata", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    #[command(flatten)]
    database: DatabaseOptions,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed (the message says how to fix it), 2 wrong usage.

Without DATABASE_URL the commands use the server's own PostgreSQL: the first command starts it, \
and the last one stops it.";

#[derive(Debug, Subcommand)]
enum Command {
    Import(import_command::ImportArguments),
    Seed(seed::SeedArguments),
    Generate(generate::GenerateArguments),
    Organizations(organizations::OrganizationsArguments),
    Target(Box<target::TargetArguments>),
    Demo(Box<demo::DemoArguments>),
}

pub fn run() -> ExitCode {
    // Help and wrong usage end here, with 0 and 2.
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(arguments.execute()),
        Err(error) => Err(format!("cannot start threads: {error}").into()),
    };
    outcome.unwrap_or_else(|error| {
        anstream::eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Runs a command line in this process. The first argument is the name of the program.
pub async fn execute(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<ExitCode, Error> {
    Arguments::try_parse_from(arguments)?.execute().await
}

impl Arguments {
    async fn execute(self) -> Result<ExitCode, Error> {
        let database = self.database;
        match self.command {
            Command::Import(arguments) => import_command::run(&database, arguments).await?,
            Command::Seed(arguments) => seed::run(&database, arguments).await?,
            Command::Generate(arguments) => generate::run(&database, arguments).await?,
            Command::Organizations(arguments) => organizations::run(&database, arguments).await?,
            Command::Target(arguments) => target::run(&database, &arguments)?,
            Command::Demo(arguments) => return demo::run(&database, *arguments).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_and_flag_is_explained() {
        let mut commands = vec![Arguments::command()];
        while let Some(command) = commands.pop() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                let explained = argument.get_help().is_some();
                assert!(explained, "{} {}", command.get_name(), argument.get_id());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
