//! The command `seed`: imports the data set, and removes an earlier one with `--reset`. No other
//! organisation is touched.

use std::path::PathBuf;

use crate::{
    Error,
    import::{DATASET, Dataset, import},
    import_command::{ImportOptions, print_counts},
    key_file,
};
use clap::Args;
use futures_util::TryStreamExt;
use payout_server::tools::{AssetKey, Database, DatabaseOptions, Storage, Tenants, read_text};

/// Import the data set that tests, the demo and conformance runs share; write its keys to a file
///
/// --reset first removes the organisations of the data set with everything they own, including
/// history and keys. No other organisation is touched.
#[derive(Args, Debug)]
pub(crate) struct SeedArguments {
    /// Another data set, as for `payout-devdata import` [default: conformance/dataset.json,
    /// which is built in]
    #[arg(long, value_name = "FILE")]
    dataset: Option<PathBuf>,
    /// File for the keys, as shell variables, mode 0600 [default: keys.env in the data folder]
    #[arg(long, env = "PAYOUT_KEYS_FILE", value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// Remove the data set's organisations first; needs the owner's URL
    #[arg(long)]
    reset: bool,
    #[command(flatten)]
    options: ImportOptions,
}

pub(crate) async fn run(options: &DatabaseOptions, arguments: SeedArguments) -> Result<(), Error> {
    let dataset = match &arguments.dataset {
        Some(file) => Dataset::read(&read_text(file)?)?,
        None => Dataset::read(DATASET)?,
    };
    let keys_file = match arguments.keys_file {
        Some(path) => path,
        None => options.folder()?.join("keys.env"),
    };
    let prefix = arguments.options.key_prefix();
    let storage = options.storage(&arguments.options.assets).await?;
    let database = options.open().await?;
    if arguments.reset {
        reset(&database, &storage, &dataset).await?;
    }
    let imported = import(&database.pool().await?, &storage, dataset, prefix).await?;
    key_file::write(&keys_file, &imported)?;
    print_counts(&imported);
    let file = keys_file.display();
    anstream::println!("Keys: {file} (read them with: set -a; . {file}; set +a)");
    Ok(database.close().await?)
}

/// Removes the data set's organisations, known by their ids, and then their PDFs. Connects as the
/// schema's owner, because the server's role may delete nothing.
pub(crate) async fn reset(
    database: &Database,
    storage: &Storage,
    dataset: &Dataset,
) -> Result<(), Error> {
    let tenants = Tenants::from(&database.owner_pool().await?);
    for id in dataset.ids() {
        let mut transaction = tenants.write(id).await?;
        let removal = sqlx::raw_sql(include_str!("remove_organization.sql"));
        removal.execute(&mut *transaction).await.map_err(explain)?;
        transaction.commit().await?;
    }
    let of_dataset =
        |key: &AssetKey| dataset.ids().any(|id| id.as_str() == key.organization.as_str());
    let mut objects = storage.list();
    while let Some(object) = objects.try_next().await? {
        if of_dataset(&object.key) {
            storage.delete(&object.key).await?;
        }
    }
    Ok(())
}

fn explain(error: sqlx::Error) -> Error {
    let code = error.as_database_error().and_then(|error| error.code());
    if code.as_deref() == Some("42501") {
        return "--reset deletes rows, which the server's role may not: \
                set DATABASE_OWNER_URL to the owner's URL"
            .into();
    }
    error.into()
}
