//! `assets`: sweep what crashes left in the object store, and verify the stored PDFs.

use std::time::{Duration, Instant};

use clap::{Args, Subcommand, value_parser};

use super::{database::DatabaseOptions, error::CliError, organizations, serve::stop_signal};
use crate::{
    assembly::StartError,
    postgres::Tenants,
    statements::{
        assets::{
            sweep::{Sweep, Swept},
            verification::{Progress, Verification},
        },
        making::Maker,
        options::FontOptions,
        storage::{AssetKey, AssetOptions},
    },
    telemetry::with_causes,
};

const SECONDS_PER_HOUR: u64 = 3_600;
/// Interval between the progress reports of a long verification.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// The stored PDFs: verify them, sweep what crashes left behind
#[derive(Debug, Subcommand)]
pub(crate) enum AssetsCommand {
    /// Find objects that never became statements; with --delete, remove them
    ///
    /// A crash between writing an object and its row leaves the object behind, with an intent.
    /// Nothing younger than --older-than-hours is removed, no statement, and no object of an
    /// organisation that the database does not know. Use a separate directory or bucket prefix for
    /// each database.
    ///
    /// Objects without a row and without an intent are no remains of a crash. Where they are more
    /// than 1 % of all objects, or more than 100, --delete removes nothing and fails: the database
    /// may have been restored to an earlier time.
    Sweep(SweepArguments),
    /// Compare every stored PDF with the length and the SHA-256 in its row
    ///
    /// A missing or wrong PDF is noted in its row, and its next generateStatement makes it again;
    /// --repair does so at once. The note of one that is right again is cleared. Exit code 1 if
    /// damaged ones remain. Ctrl-C stops it, and prints how to continue.
    Verify(VerifyArguments),
}

#[derive(Args, Debug)]
pub(crate) struct SweepArguments {
    /// Remove what is found, instead of listing it
    #[arg(long)]
    delete: bool,
    /// Remove objects without a row although they are many
    #[arg(long, requires = "delete")]
    yes_many: bool,
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

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Make damaged PDFs again that this server rendered
    #[arg(long)]
    repair: bool,
    /// Continue after this one, as an interrupted run printed it
    #[arg(long, value_parser = position, value_name = "ORGANIZATION/ASSET")]
    after: Option<AssetKey>,
    /// Make this the store of the database first, although it lacks the PDFs or has the marker of
    /// another database
    #[arg(long)]
    bind: bool,
    #[command(flatten)]
    fonts: FontOptions,
    #[command(flatten)]
    assets: AssetOptions,
}

fn position(text: &str) -> Result<AssetKey, String> {
    let key = AssetKey::parse(&format!("{text}.pdf"));
    key.ok_or_else(|| "write it as org_…/ast_…, as `assets verify` prints it".to_owned())
}

pub(crate) async fn run(options: &DatabaseOptions, command: AssetsCommand) -> Result<(), CliError> {
    match command {
        AssetsCommand::Sweep(arguments) => sweep(options, arguments).await,
        AssetsCommand::Verify(arguments) => verify(options, arguments).await,
    }
}

async fn sweep(options: &DatabaseOptions, arguments: SweepArguments) -> Result<(), CliError> {
    let database = options.open().await?;
    let pool = database.pool().await?;
    let storage = options.storage_of(&database, &arguments.assets, false).await?;
    let sweep = Sweep {
        tenants: &Tenants::from(&pool),
        storage: &storage,
        age: Duration::from_secs(arguments.older_than_hours * SECONDS_PER_HOUR),
        now: chrono::Utc::now(),
        remove: arguments.delete,
        remove_many: arguments.yes_many,
    };
    let swept = sweep.run(&organizations::list_ids(&pool).await?).await;
    let swept = swept.map_err(|error| CliError::message(with_causes(&error)))?;
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

async fn verify(options: &DatabaseOptions, arguments: VerifyArguments) -> Result<(), CliError> {
    let stop = stop_signal()?;
    let database = options.open().await?;
    let pool = database.pool().await?;
    let storage = options.storage_of(&database, &arguments.assets, arguments.bind).await?;
    let maker = arguments.repair.then(|| Maker::new(storage.clone(), &arguments.fonts));
    let maker = maker.transpose().map_err(StartError::Fonts)?;
    let mut verification = Verification {
        tenants: &Tenants::from(&pool),
        storage: &storage,
        maker: maker.as_ref(),
        progress: Progress::default(),
    };
    // Nothing is made for an organisation that is stopped for a move.
    let mut organizations = match arguments.repair {
        true => organizations::list_open_ids(&pool).await?,
        false => organizations::list_ids(&pool).await?,
    };
    let mut last_report = Instant::now();
    let report = |progress: &Progress, finding: Option<String>| {
        if let Some(finding) = finding {
            anstream::println!("{finding}");
        }
        if last_report.elapsed() >= PROGRESS_INTERVAL {
            last_report = Instant::now();
            anstream::eprintln!("{}", summary(progress));
        }
    };
    let ended = tokio::select! {
        ended = verification.run(&mut organizations, arguments.after.as_ref(), report) => {
            ended.map_err(|error| format!("the verification failed: {}", with_causes(&error)))
        }
        () = stop => Err("the verification was interrupted".to_owned()),
    };
    let progress = verification.progress;
    anstream::println!("{}", summary(&progress));
    if let Err(reason) = ended {
        let repair = if arguments.repair { " --repair" } else { "" };
        let last = progress.last.or(arguments.after);
        let after = last.map(|last| format!(" --after {}", shown(&last))).unwrap_or_default();
        return Err(CliError::message(format!(
            "{reason}\nTo continue: payout-server assets verify{repair}{after}"
        )));
    }
    database.close().await?;
    match progress.damaged {
        0 => Ok(()),
        damaged => Err(CliError::message(format!("damaged PDFs that remain: {damaged}"))),
    }
}

fn summary(progress: &Progress) -> String {
    let last = progress.last.as_ref().map(|last| format!("; the last is {}", shown(last)));
    let last = last.unwrap_or_default();
    format!("{} PDFs verified, {} damaged{last}", progress.verified, progress.damaged)
}

fn shown(key: &AssetKey) -> String {
    format!("{}/{}", key.organization, key.attempt)
}
