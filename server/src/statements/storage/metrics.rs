//! Counts what the store could not do, by operation. A missing object is no failure of the store.

use prometheus_client::metrics::{counter::Counter, family::Family};

use super::StorageError;
use crate::telemetry::{Metrics, OperationLabel};

/// The verbs that actions begin with.
const OPERATIONS: [&str; 6] = ["put", "get", "delete", "list", "sign", "sweep"];

/// Failures of one store.
#[derive(Clone, Debug)]
pub(crate) struct StorageErrors(Family<OperationLabel, Counter>);

impl Default for StorageErrors {
    fn default() -> Self {
        let errors = Family::default();
        for operation in OPERATIONS {
            drop(errors.get_or_create(&OperationLabel { operation }));
        }
        Self(errors)
    }
}

impl StorageErrors {
    /// Shows the failures in a server's metrics.
    pub(crate) fn register(&self, metrics: &Metrics) {
        let help = "What the store of PDFs could not do, by operation";
        metrics.register("storage_errors", help, self.0.clone());
    }

    pub(super) fn count(&self, error: &StorageError) {
        let (StorageError::Unavailable { action, .. } | StorageError::Internal { action, .. }) =
            error
        else {
            return;
        };
        if let Some(operation) = OPERATIONS.into_iter().find(|verb| action.starts_with(verb)) {
            self.0.get_or_create(&OperationLabel { operation }).inc();
        }
    }
}
