//! `migrate`: updates the schema and grants the server's role its rights. No server does this at
//! its start.

use std::process::ExitCode;

use clap::Args;
use payout_database::{migrate_reporting, plan};

use super::{database::DatabaseOptions, error::CliError};

/// Update the schema of the database
///
/// Connects as the schema's owner (DATABASE_OWNER_URL, else DATABASE_URL). On your own PostgreSQL,
/// create two roles and a database first: CREATE ROLE payout_owner LOGIN PASSWORD '…'; CREATE ROLE
/// payout_app LOGIN PASSWORD '…'; CREATE DATABASE payout OWNER payout_owner. The server's own
/// PostgreSQL has them. A second run changes nothing; concurrent runs wait for each other. Requests
/// go on meanwhile; what loses a race for a lock is tried again, and a run that failed can be
/// repeated.
#[derive(Args, Debug)]
pub(crate) struct MigrateArguments {
    /// Role of the server, which gets the right to read and write rows, and no other
    /// [default: the user of DATABASE_URL where DATABASE_OWNER_URL is given too, else payout_app]
    #[arg(long, env = "PAYOUT_APP_ROLE", value_name = "ROLE")]
    app_role: Option<String>,
    /// Print what would be done, with the locks that it takes, and change nothing; the exit code is
    /// 0 if there is nothing to do, else 3
    #[arg(long)]
    plan: bool,
}

/// `--plan` found migrations that are not applied.
const PENDING: u8 = 3;

pub(crate) async fn run(
    options: &DatabaseOptions,
    arguments: MigrateArguments,
) -> Result<ExitCode, CliError> {
    let database = options.open().await?;
    let mut code = ExitCode::SUCCESS;
    if arguments.plan {
        if let Some(plan) = plan(&database.urls.owner).await? {
            anstream::println!("{plan}");
            code = PENDING.into();
        } else {
            anstream::println!("The schema is up to date: there is nothing to do.");
        }
    } else {
        let app_role = match arguments.app_role {
            Some(role) => role,
            None => database.app_role()?,
        };
        let report = |line: &str| anstream::eprintln!("{line}");
        let migrated = migrate_reporting(&database.urls.owner, &app_role, &report).await?;
        match migrated.applied {
            0 => anstream::println!("The schema is up to date: version {}.", migrated.to),
            _ => anstream::println!(
                "The schema went from version {} to version {}.",
                migrated.from,
                migrated.to
            ),
        }
    }
    database.close().await?;
    Ok(code)
}
