//! The whole command line, and the way from it to a command.
//!
//! It refuses to decide anything else: each command owns its flags and its work.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use super::{
    assets, database::DatabaseOptions, demo, error::CliError, import, keys, migrate, organizations,
    payouts, seed, serve, statements,
};

/// The reference server of the Partner and Commission Payout API.
///
/// Begin with `payout-server demo`: it needs nothing but an installed PostgreSQL, and shows real calls.
/// To serve your own data: `payout-server migrate`, then `organizations create`, `keys create`, `serve`.
#[derive(Debug, Parser)]
#[command(name = "payout-server", version, max_term_width = 110, after_help = EXIT_CODES)]
struct Arguments {
    #[command(flatten)]
    database: DatabaseOptions,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed (the message says what mends it), 2 wrong usage.

Without DATABASE_URL every command works on the server's own PostgreSQL: the first command starts it, the last one stops \
it, and commands beside a running `serve` join it. With DATABASE_URL they work on that server.";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::ServeArguments>),
    Migrate(migrate::MigrateArguments),
    Demo(Box<demo::DemoArguments>),
    #[command(subcommand)]
    Organizations(organizations::OrganizationsCommand),
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    #[command(subcommand)]
    Payouts(payouts::PayoutsCommand),
    #[command(subcommand)]
    Statements(statements::StatementsCommand),
    #[command(subcommand)]
    Assets(assets::AssetsCommand),
    Import(import::ImportArguments),
    Seed(seed::SeedArguments),
    /// List the seeded faults as JSON; the variable MUTANT names the one that is active
    #[cfg(feature = "mutants")]
    Mutants,
}

/// Runs the command of the process' arguments.
#[must_use]
pub fn run() -> ExitCode {
    // Help and wrong usage end here, with 0 and 2.
    let arguments = Arguments::parse();
    #[cfg(feature = "mutants")]
    if let Err(error) = crate::mutants::begin() {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(execute(arguments)),
        Err(error) => Err(CliError::told(format!(
            "no threads can be started: {error}"
        ))),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn execute(arguments: Arguments) -> Result<ExitCode, CliError> {
    let database = arguments.database;
    match arguments.command {
        Command::Serve(arguments) => serve::run(&database, *arguments).await?,
        Command::Migrate(arguments) => migrate::run(&database, arguments).await?,
        Command::Demo(arguments) => return demo::run(&database, *arguments).await,
        Command::Organizations(command) => organizations::run(&database, command).await?,
        Command::Keys(command) => keys::run(&database, command).await?,
        Command::Payouts(command) => payouts::run(&database, command).await?,
        Command::Statements(command) => statements::run(&database, command).await?,
        Command::Assets(command) => assets::run(&database, command).await?,
        Command::Import(arguments) => import::run(&database, arguments).await?,
        Command::Seed(arguments) => seed::run(&database, arguments).await?,
        #[cfg(feature = "mutants")]
        Command::Mutants => super::output::say!("{}", crate::mutants::listed()),
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    /// It does so only where clap is built with its own assertions, which a profile of the workspace takes from most crates.
    #[test]
    #[should_panic(expected = "must be unique")]
    fn clap_would_say_that_a_command_line_is_not() {
        let argument = || clap::Arg::new("twice");
        let inconsistent = clap::Command::new("x").arg(argument()).arg(argument());
        inconsistent.debug_assert();
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
