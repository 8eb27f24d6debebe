//! Errors of operations on the store, and of its settings. No message contains a secret or a signed
//! link.

use std::{error::Error, io, path::Path};

use object_store::client::HttpError;

use crate::{problem::Failure, telemetry::UnavailableCause};

/// An operation on the store failed. The messages are for operators: a response has only the
/// status.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The store is down, slow, full or overloaded; a later try may succeed (503).
    #[error(
        "cannot {action}: {reason}. Check that {location} is up, reachable from here and not full"
    )]
    Unavailable { action: String, location: String, reason: String },
    #[error("cannot {action}: {location} has no such object")]
    NotFound { action: String, location: String },
    /// Permanent: wrong permissions, a missing bucket, a damaged object (500).
    #[error("cannot {action} in {location}: {reason}")]
    Internal { action: String, location: String, reason: String },
}

#[derive(Debug, thiserror::Error)]
#[error("the object store is not available")]
struct StoreUnavailable(#[source] StorageError);

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Unavailable { .. } => {
                Self::unavailable(UnavailableCause::Storage, StoreUnavailable(error))
            }
            _ => Self::Internal(error.to_string()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub(super) String);

impl SetupError {
    pub(super) fn directory(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            let path = path.display();
            Self(format!(
                "assets cannot be stored in {path}: {error}. Name another directory with --assets, \
                 or let this user write there"
            ))
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    Unavailable,
    NotFound,
    NoBucket,
    Forbidden,
    Internal,
}

impl FailureKind {
    pub(super) fn of(error: &object_store::Error) -> Self {
        use object_store::Error as E;
        // A missing bucket has the status of a missing object; only the response's text differs.
        if error.to_string().contains("<Code>NoSuchBucket</Code>") {
            return Self::NoBucket;
        }
        match error {
            E::NotFound { .. } => Self::NotFound,
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => Self::Forbidden,
            E::Generic { source, .. } => Self::of_cause(source.as_ref()),
            _ => Self::Internal,
        }
    }

    fn of_cause(error: &(dyn Error + 'static)) -> Self {
        let mut causes = std::iter::successors(Some(error), |cause| (*cause).source());
        let known = causes.find_map(|cause| {
            let of_http = cause.is::<HttpError>().then_some(Self::Unavailable);
            of_http.or_else(|| cause.downcast_ref().map(Self::of_system))
        });
        known.unwrap_or_else(|| Self::of_response(&error.to_string()))
    }

    /// Some operations of the client have typed errors, others only a text with the status.
    fn of_response(text: &str) -> Self {
        let status =
            text.split_once(" status code: ").and_then(|(_, rest)| rest.get(..3)?.parse().ok());
        match status {
            Some(401 | 403) => Self::Forbidden,
            Some(408 | 429) => Self::Unavailable,
            Some(400..=499) => Self::Internal,
            // A fault of the store, or an unknown one: the caller may try again.
            _ => Self::Unavailable,
        }
    }

    fn of_system(error: &io::Error) -> Self {
        use io::ErrorKind as K;
        match error.kind() {
            K::StorageFull
            | K::QuotaExceeded
            | K::ResourceBusy
            | K::TimedOut
            | K::Interrupted
            | K::StaleNetworkFileHandle
            | K::HostUnreachable
            | K::NetworkUnreachable => Self::Unavailable,
            _ => Self::Internal,
        }
    }
}

/// Returns the message, and those of its causes that it leaves out: an expired certificate, for
/// example, is the third cause.
pub(super) fn reason(error: &object_store::Error) -> String {
    let mut reason = error.to_string();
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    while let Some(cause) = causes.next().map(ToString::to_string) {
        if !reason.contains(&cause) {
            reason.push_str(": ");
            reason.push_str(&cause);
        }
    }
    reason
}
