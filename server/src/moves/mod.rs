//! An organisation moves from one cell to another: its rows and its PDFs are written into a folder,
//! read from it into the other cell's database and store, compared, and opened there. A cell is one
//! database with its servers.
//!
//! | module | owns |
//! |---|---|
//! | [`model`] | the manifest of an export, the receipt of an import, the order of tables |
//! | [`store`] | where an organisation is: stopped, moved, imported |
//! | `rows` | the rows of all its tables, which the catalog names |
//! | `pdfs` | its PDFs |
//! | `folder` | the files of an export |
//! | [`export`], [`import`] | the steps |
//!
//! Nothing that was answered is lost: the export reads when every transaction has ended that began
//! before the stop, and a trigger ends those that begin later.

pub(crate) mod export;
pub(crate) mod folder;
pub(crate) mod import;
pub mod model;
mod pdfs;
mod rows;
pub mod store;

use std::{io, path::PathBuf};

use payout_database::reason;

use crate::{keys::records::RecordsError, statements::storage::StorageError};

pub use rows::store::{STATE, list_tables};

/// A move went no further. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    #[error("the database reported: {}", reason(.0))]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Records(#[from] RecordsError),
    #[error("{} cannot be {action}: {error}", path.display())]
    File { action: &'static str, path: PathBuf, error: io::Error },
    #[error("{0}")]
    Rejected(String),
}

impl MoveError {
    fn rejected(text: impl Into<String>) -> Self {
        Self::Rejected(text.into())
    }
}
