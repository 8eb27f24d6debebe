//! Binds a store to its database: the store's marker has the database's id. The empty directory of
//! an unmounted volume, or the store of another database, is an error and not an empty store.

mod store;

use std::path::{Path, PathBuf};

use sqlx::PgConnection;

use crate::statements::storage::{
    AssetKey, AssetOptions, MARKER, SetupError, Storage, StorageError,
};

/// Number of the newest PDFs that are looked for in a store without a marker.
const NEWEST_ASSETS: i64 = 10;

#[derive(Debug, thiserror::Error)]
pub enum BindingError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("the store's database id cannot be read: {0}")]
    Database(#[from] sqlx::Error),
    #[error(
        "the directory {} does not exist, but the database has PDFs: is its volume mounted? Mount \
         it, or name the right directory with --assets. {ABANDON}",
        .0.display()
    )]
    NoDirectory(PathBuf),
    #[error(
        "{location} has neither the marker {MARKER} nor the newest PDFs of the database: is this \
         an unmounted volume? Mount it, or name the right place with --assets. {ABANDON}"
    )]
    NoMarker { location: String },
    #[error(
        "{location} belongs to another database: its marker {MARKER} says {found:?}, and this \
         database is {id}. Name this database's own place with --assets. If this one is to be it: \
         payout-server assets verify --bind"
    )]
    OtherDatabase { location: String, found: String, id: String },
}

const ABANDON: &str = "If the PDFs are lost: payout-server assets verify --bind --repair";

/// Opens the store of the database. A store without a marker gets one where the database has no
/// PDFs yet, where it has the newest of them, or where `bind` says that this is the store.
pub async fn open_store(
    connection: &mut PgConnection,
    options: &AssetOptions,
    data_folder: &Path,
    bind: bool,
) -> Result<Storage, BindingError> {
    if let Some(directory) = options.directory(data_folder)
        && !bind
        && matches!(directory.try_exists(), Ok(false))
        && !store::list_newest_assets(connection, NEWEST_ASSETS).await?.is_empty()
    {
        return Err(BindingError::NoDirectory(directory));
    }
    let storage = options.open(data_folder).await?;
    let id = store::get_database_id(connection).await?;
    let marker = storage.get_small(MARKER).await?;
    match marker.as_deref().map(<[u8]>::trim_ascii) {
        Some(marker) if marker == id.as_bytes() => {}
        Some(marker) if !bind => {
            let (location, found) = (storage.name().to_owned(), String::from_utf8_lossy(marker));
            return Err(BindingError::OtherDatabase { location, found: found.into_owned(), id });
        }
        None if !bind
            && !fits(&storage, &store::list_newest_assets(connection, NEWEST_ASSETS).await?)
                .await? =>
        {
            return Err(BindingError::NoMarker { location: storage.name().to_owned() });
        }
        _ => storage.put_small(MARKER, format!("{id}\n").into()).await?,
    }
    Ok(storage.with_marker(&id))
}

/// Returns true if the store has one of these PDFs, or there are none.
async fn fits(storage: &Storage, newest: &[AssetKey]) -> Result<bool, StorageError> {
    for key in newest {
        match storage.get(key).await {
            Ok(_) => return Ok(true),
            Err(StorageError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(newest.is_empty())
}
