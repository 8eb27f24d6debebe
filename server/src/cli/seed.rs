//! `seed`: the data set that tests, the demo and conformance runs share, and as many generated lines as one likes.
//!
//! It refuses to touch an organisation that is not of the data set.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    time::Instant,
};

use clap::{Args, value_parser};
use futures_util::TryStreamExt;
use sqlx::PgPool;

use super::output::say;
use super::{
    database::{Database, DatabaseOptions, read_text},
    error::CliError,
    import::print_counts,
    key_file,
    target::{self, Fixtures, Surroundings, TargetFile},
    values,
};
use crate::{
    gate::Environment,
    id::OrganizationId,
    import::{
        self,
        bulk::{self, MAXIMUM_LINES, Plan},
        format::Dataset,
        read, store,
        write::{self, ImportError, Imported},
    },
    statements::storage::{AssetKey, AssetOptions, AssetPlace, Storage, StorageError},
    tenant::Tenants,
};

/// Import the data set that tests, the demo and conformance runs share, and write its keys to a file
///
/// --reset removes the organisations of the data set first, with all they own, their history and keys; no other
/// organisation is touched. --lines generates rows in the first organisation, the same ones for the same number.
#[derive(Args, Debug)]
pub struct SeedArguments {
    /// Another data set, of the form of `payout-server import --print-schema` [default: the one built in, conformance/dataset.json]
    #[arg(long, value_name = "FILE")]
    dataset: Option<PathBuf>,
    /// Where the keys go, as shell variables, mode 0600 [default: keys.env in the data folder]
    #[arg(long, env = "PAYOUT_KEYS_FILE", value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// How many commission lines to generate besides, with partners and payouts in proportion; a million takes less than a minute
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAXIMUM_LINES)), value_name = "NUMBER")]
    lines: Option<u32>,
    /// Remove the data set's organisations first; needs the owner's URL
    #[arg(long)]
    reset: bool,
    /// Write a target file too: what payout-conformance must know to judge a server of this data set; no key is in it
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,
    /// Where that server will be [default: http://127.0.0.1:8080]
    #[arg(long, requires = "target", value_parser = values::base_url, value_name = "URL")]
    target_url: Option<String>,
    /// Which servers take the keys: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    environment: Environment,
    #[command(flatten)]
    assets: AssetOptions,
}

/// Runs the command.
///
/// # Errors
/// The data set is there already, is not sound, or the database cannot be used.
pub async fn run(options: &DatabaseOptions, arguments: SeedArguments) -> Result<(), CliError> {
    let text = match &arguments.dataset {
        Some(file) => read_text(file)?,
        None => import::DATASET.to_owned(),
    };
    let dataset = read::read(&text)?;
    let fixtures = target::fixtures(&dataset);
    let keys_file = match &arguments.keys_file {
        Some(path) => path.clone(),
        None => options.folder()?.join("keys.env"),
    };
    let storage = options.storage(&arguments.assets).await?;
    let database = options.open().await?;
    if arguments.reset {
        reset(&database, &storage, &dataset).await?;
    }
    let pool = database.pool().await?;
    let imported = write::import(&pool, &storage, dataset, arguments.environment).await;
    let imported = imported.map_err(|error| match error {
        ImportError::Exists(_) => CliError::told(format!(
            "{error}. To remove the data set and import it anew: payout-server seed --reset"
        )),
        other => other.into(),
    })?;
    key_file::write(&keys_file, &imported)?;
    print_counts(&imported);
    if let (Some(lines), Some(first)) = (arguments.lines, imported.first()) {
        generate(&database.owner_pool().await?, first, lines).await?;
    }
    say!(
        "Keys: {file} (read them with: set -a; . {file}; set +a)",
        file = keys_file.display()
    );
    if let Some(path) = &arguments.target {
        write_target(path, options, &arguments, (&imported, fixtures))?;
    }
    database.close().await
}

/// The hooks of a target run where the suite runs: paths in them are absolute.
fn write_target(
    path: &Path,
    options: &DatabaseOptions,
    arguments: &SeedArguments,
    (imported, fixtures): (&[Imported], Fixtures),
) -> Result<(), CliError> {
    let told = |error: std::io::Error| {
        CliError::told(format!("the target file's paths cannot be told: {error}"))
    };
    let url = arguments.target_url.as_deref();
    let surroundings = Surroundings {
        base_url: url.unwrap_or(target::DEFAULT_URL).to_owned(),
        program: std::env::current_exe().map_err(told)?,
        data_dir: std::path::absolute(options.folder()?).map_err(told)?,
        environment: arguments.environment,
        is_the_data_set: arguments.dataset.is_none() && arguments.lines.is_none(),
        links_local: !matches!(arguments.assets.assets, Some(AssetPlace::Bucket { .. })),
    };
    TargetFile::of(imported, fixtures, surroundings).write(path)?;
    say!(
        "Target: {file} (judge a running server with: payout-conformance run --target {file})",
        file = path.display()
    );
    Ok(())
}

/// Removes the data set's organisations, known by their ids, and then their PDFs. The server's role may delete nothing, so
/// this is the owner's.
pub(super) async fn reset(
    database: &Database,
    storage: &Storage,
    dataset: &Dataset,
) -> Result<(), CliError> {
    let tenants = Tenants::new(database.owner_pool().await?);
    for id in dataset
        .organizations
        .iter()
        .filter_map(|organization| organization.id.as_deref())
    {
        let id = OrganizationId::parse(id).expect("checked");
        let mut transaction = tenants.write(&id).await?;
        store::remove_organization(&mut transaction)
            .await
            .map_err(explain_reset)?;
        transaction.commit().await?;
    }
    let of_dataset = |key: &AssetKey| {
        let mut organizations = dataset.organizations.iter();
        organizations.any(|organization| organization.id.as_deref() == Some(key.organization()))
    };
    let removed = async {
        let mut objects = storage.list();
        while let Some(object) = objects.try_next().await? {
            if of_dataset(&object.key) {
                storage.delete(&object.key).await?;
            }
        }
        Ok::<_, StorageError>(())
    };
    removed
        .await
        .map_err(|error| CliError::told(error.to_string()))
}

fn explain_reset(error: sqlx::Error) -> CliError {
    let state = error.as_database_error().and_then(|error| error.code());
    if state.as_deref() == Some("42501") {
        return CliError::told(
            "--reset must delete rows, which the server's role may not: name the owner's URL in DATABASE_OWNER_URL",
        );
    }
    error.into()
}

/// Two shares at a time: the checks of foreign keys, which take most of the time, use both connections.
async fn generate(pool: &PgPool, organization: &Imported, lines: u32) -> Result<(), CliError> {
    let begun = Instant::now();
    let plan = Plan::of(lines);
    say!(
        "Generating {lines} lines, {} partners, {} payouts in {:?} …",
        plan.partners,
        plan.payouts(),
        organization.name
    );
    let shares: Vec<(u32, u32)> = plan.shares().collect();
    let next = Mutex::new(shares.into_iter());
    let tenants = Tenants::new(pool.clone());
    let work = || async {
        loop {
            let share = next.lock().expect("nobody panics with the list").next();
            let Some((from, to)) = share else {
                return Ok::<(), sqlx::Error>(());
            };
            let mut transaction = tenants.write(&organization.id).await?;
            bulk::store::generate(&mut transaction, plan, from, to).await?;
            transaction.commit().await?;
        }
    };
    tokio::try_join!(work(), work())?;
    bulk::store::analyze(&mut *pool.acquire().await?).await?;
    say!("Generated them in {} s.", begun.elapsed().as_secs());
    Ok(())
}
