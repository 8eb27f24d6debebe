//! What a person reads when a command fails: what, why, and the command that mends it.
//!
//! It refuses a bare error of a library where a person could not tell what to do next.

use payout_database::{BootstrapError, ClusterError, MigrateError, SchemaMismatch};

use crate::{
    app::StartError,
    statements::{links::KeyFileError, storage::SetupError},
};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A complete message.
    #[error("{0}")]
    Message(String),
    /// The database cannot be reached.
    #[error(
        "the database does not answer: {0}\nCheck DATABASE_URL, and that the server it names is running."
    )]
    Unreachable(#[source] sqlx::Error),
    /// The database refused.
    #[error("the database refused: {0}")]
    Database(#[from] sqlx::Error),
    /// The embedded PostgreSQL.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Its roles and database.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// The migrations.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// Another schema version.
    #[error(transparent)]
    Schema(#[from] SchemaMismatch),
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Assets cannot be kept as the flags say.
    #[error(transparent)]
    Setup(#[from] Box<SetupError>),
    /// The keys of links cannot be used.
    #[error(transparent)]
    KeyFile(#[from] Box<KeyFileError>),
}

impl CliError {
    /// A complete message.
    pub fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// No organisation has this id.
    #[must_use]
    pub fn no_organization(id: &str) -> Self {
        Self::message(format!(
            "there is no organisation {id}: `payout-server organizations list` shows them all"
        ))
    }
}

/// The larger errors are boxed: a result that is carried through every command should stay small.
macro_rules! boxed {
    ($($error:ty),+) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                Box::new(error).into()
            }
        })+
    };
}

boxed!(KeyFileError, SetupError);
