//! `assets sweep`: lists what crashes left in the object store, and removes it with `--delete`.

use std::time::Duration;

use clap::{Args, Subcommand, value_parser};

use super::{database::DatabaseOptions, error::CliError};
use crate::{
    id::OrganizationId,
    organizations,
    statements::{
        assets::sweep::{Sweep, Swept},
        storage::AssetOptions,
    },
    tenant::Tenants,
};

const SECONDS_PER_HOUR: u64 = 3_600;

/// The stored PDFs: sweep what crashes left behind
#[derive(Debug, Subcommand)]
pub(crate) enum AssetsCommand {
    /// Find objects that never became statements; with --delete, remove them
    ///
    /// A crash between writing an object and its row leaves the object behind. Nothing younger than
    /// --older-than-hours is removed, no statement, and no object of an organisation that the
    /// database does not know. Use a separate directory or bucket prefix for each database.
    Sweep(SweepArguments),
}

/// The flags of `sweep`.
#[derive(Args, Debug)]
pub(crate) struct SweepArguments {
    /// Remove what is found, instead of listing it
    #[arg(long)]
    delete: bool,
    /// Minimum age
    #[arg(
        long,
        default_value_t = 24,
        value_parser = value_parser!(u64).range(1..=8760),
        value_name = "HOURS"
    )]
    older_than_hours: u64,
    #[command(flatten)]
    assets: AssetOptions,
}

pub(crate) async fn run(options: &DatabaseOptions, command: AssetsCommand) -> Result<(), CliError> {
    let AssetsCommand::Sweep(arguments) = command;
    let storage = options.storage(&arguments.assets).await?;
    let database = options.open().await?;
    let pool = database.pool().await?;
    let all = organizations::store::list_organizations(&mut *pool.acquire().await?, None).await?;
    let all: Vec<OrganizationId> =
        all.iter().filter_map(|organization| OrganizationId::parse(&organization.id)).collect();
    let sweep = Sweep {
        tenants: &Tenants::from(&pool),
        storage: &storage,
        age: Duration::from_secs(arguments.older_than_hours * SECONDS_PER_HOUR),
        now: chrono::Utc::now(),
        remove: arguments.delete,
    };
    let swept = sweep.run(&all).await;
    let swept = swept.map_err(|error| CliError::message(format!("the sweep failed: {error}")))?;
    report(&swept, arguments.delete);
    database.close().await
}

fn report(swept: &Swept, removed: bool) {
    let verb = if removed { "removed" } else { "would be removed" };
    for object in &swept.objects {
        anstream::println!("{verb}: {object}");
    }
    anstream::println!(
        "{} objects examined; {verb}: {} objects without a row, {} intents without an object, \
         {} unfinished files",
        swept.examined,
        swept.objects.len(),
        swept.intents.len(),
        swept.unfinished
    );
    if swept.foreign > 0 {
        anstream::println!(
            "{} objects belong to organisations that this database does not know: skipped",
            swept.foreign
        );
    }
    if !removed && (!swept.objects.is_empty() || !swept.intents.is_empty()) {
        anstream::println!("To remove them: payout-server assets sweep --delete");
    }
}
