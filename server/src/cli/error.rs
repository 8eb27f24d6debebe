//! The message of a failed command: what is wrong, why, and the command that fixes it.

use payout_database::{
    AddressError, BootstrapError, ClusterError, ConnectionError, MigrateError, SchemaMismatch,
    UnusableSession, reason,
};

use crate::{
    assembly::StartError,
    keyring::KeyFileError,
    moves::MoveError,
    statements::{assets::binding::BindingError, storage::SetupError},
    telemetry::SpansError,
};

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{0}")]
    Message(String),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// A pooler would mix the sessions of this command with others.
    #[error("this database cannot be used: {error}{remedy}", error = .0, remedy = .0.remedy())]
    Session(#[from] UnusableSession),
    #[error("the database reported: {}", reason(.0))]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error(transparent)]
    Schema(#[from] SchemaMismatch),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Binding(#[from] BindingError),
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error(transparent)]
    Spans(#[from] SpansError),
}

impl CliError {
    pub fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    pub fn no_organization(id: &str) -> Self {
        Self::message(format!(
            "there is no organisation {id}: `payout-server organizations list` shows them all"
        ))
    }
}
