//! The command line, and the dispatch to its commands.

use std::{process::ExitCode, time::Duration};

use clap::{Command as Program, CommandFactory as _, Parser, Subcommand};

use super::{
    affiliate, assets, commission_lines, crm, database::DatabaseOptions, error::CliError, forms,
    idempotency, keys, migrate, organizations, payouts, portal, ready, serve, statements,
};

/// A command that ends waits this long for a thread that a hanging volume blocks.
const BLOCKED_THREADS_LIMIT: Duration = Duration::from_secs(2);

/// The reference server of the Partner and Commission Payout API.
///
/// To begin: `payout-server migrate`, then `organizations create`, `keys create` and `serve`.
/// `payout-devdata demo` shows the API at work with data of its own.
#[derive(Debug, Parser)]
#[command(name = "payout-server", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    #[command(flatten)]
    database: DatabaseOptions,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed (the message says how to fix it), 2 wrong usage, 3 `migrate --plan` \
found something to do.

Without DATABASE_URL every command uses the server's own PostgreSQL: the first command starts it, \
the last one stops it, and commands beside a running `serve` share it.";

const PREFIX: &str = "PAYOUT_";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::ServeArguments>),
    Ready(ready::ReadyArguments),
    Migrate(migrate::MigrateArguments),
    #[command(subcommand)]
    Organizations(organizations::OrganizationsCommand),
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    #[command(subcommand)]
    Payouts(payouts::PayoutsCommand),
    #[command(subcommand)]
    Forms(forms::FormsCommand),
    #[command(subcommand)]
    Portal(portal::PortalCommand),
    #[command(subcommand)]
    Affiliate(affiliate::AffiliateCommand),
    #[command(subcommand)]
    CommissionLines(commission_lines::CommissionLinesCommand),
    #[command(subcommand)]
    Crm(crm::CrmCommand),
    #[command(subcommand)]
    Statements(statements::StatementsCommand),
    #[command(subcommand)]
    Assets(assets::AssetsCommand),
    #[command(subcommand)]
    Idempotency(idempotency::IdempotencyCommand),
}

/// Environment variables that begin as ours do, and that no flag reads.
pub(super) fn unknown_variables() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let program = program();
    names.filter(|name| name.starts_with(PREFIX) && !reads(&program, name)).collect()
}

/// Returns true if a flag of the program, or of one of its commands, reads this variable.
fn reads(program: &Program, variable: &str) -> bool {
    program.get_arguments().any(|argument| argument.get_env().is_some_and(|env| env == variable))
        || program.get_subcommands().any(|command| reads(command, variable))
}

/// The command line, for its manual pages.
#[must_use]
pub fn program() -> Program {
    Arguments::command()
}

pub fn run() -> ExitCode {
    // Help and wrong usage end here, with 0 and 2.
    let arguments = Arguments::parse();
    let threads = match &arguments.command {
        Command::Serve(arguments) => arguments.worker_threads(),
        _ => 1,
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let outcome = match runtime.enable_all().worker_threads(threads).build() {
        Ok(runtime) => {
            let outcome = runtime.block_on(execute(arguments));
            runtime.shutdown_timeout(BLOCKED_THREADS_LIMIT);
            outcome
        }
        Err(error) => Err(CliError::message(format!("cannot start threads: {error}"))),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn execute(arguments: Arguments) -> Result<ExitCode, CliError> {
    let database = arguments.database;
    match arguments.command {
        Command::Serve(arguments) => serve::run(&database, *arguments).await?,
        Command::Ready(arguments) => ready::run(&arguments).await?,
        Command::Migrate(arguments) => return migrate::run(&database, arguments).await,
        Command::Organizations(command) => organizations::run(&database, command).await?,
        Command::Keys(command) => keys::run(&database, command).await?,
        Command::Payouts(command) => payouts::run(&database, command).await?,
        Command::Forms(command) => forms::run(&database, command).await?,
        Command::Portal(command) => portal::run(&database, command).await?,
        Command::Affiliate(command) => affiliate::run(&database, command).await?,
        Command::CommissionLines(command) => commission_lines::run(&database, command).await?,
        Command::Crm(command) => crm::run(&database, command).await?,
        Command::Statements(command) => statements::run(&database, command).await?,
        Command::Assets(command) => assets::run(&database, command).await?,
        Command::Idempotency(command) => idempotency::run(&database, command).await?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn variables_of_all_commands_are_known_and_misspelt_ones_are_not() {
        let program = Arguments::command();
        assert!(reads(&program, "PAYOUT_LISTEN") && reads(&program, "PAYOUT_APP_ROLE"));
        assert!(!reads(&program, "PAYOUT_LISTN"));
    }

    /// clap checks this only with debug assertions, which the workspace disables for most crates.
    #[test]
    #[should_panic(expected = "must be unique")]
    fn clap_detects_an_inconsistent_command_line() {
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
