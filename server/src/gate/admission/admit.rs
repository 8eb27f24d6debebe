//! Who admits requests. The answers are the same for the same history, whoever it is.
//!
//! It refuses a verdict that is told before it is durable: the two come apart only so that work may begin meanwhile.

use std::{future::Future, sync::Arc};

use super::{
    flusher::Durability,
    verdict::{AdmissionRequest, Charge, Verdict},
};
use crate::{batcher::BatchLost, id::OrganizationId};

/// Who admits requests: one statement per request, or a batch of them.
pub trait Admit: Send + Sync + 'static {
    /// Decides, counts and charges.
    fn admit(
        &self,
        request: AdmissionRequest,
    ) -> impl Future<Output = Result<Admitted, AdmissionError>> + Send;

    /// Gives a credit back after a 5xx, durably, to the month it was taken from; after a roll-over it is dropped (A7).
    fn refund(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> impl Future<Output = Result<(), AdmissionError>> + Send;
}

/// A verdict. Work may begin on it at once; nothing of it may be told before it is durable (A8).
#[derive(Debug)]
pub struct Admitted {
    /// What the gate says of the request.
    pub verdict: Verdict,
    /// When that may be told.
    pub durability: Durability,
}

/// Why the gate could not decide.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AdmissionError {
    /// The database did not answer, or refused.
    #[error("the database did not admit the request")]
    Database(#[source] Arc<sqlx::Error>),
    /// The request lost every race for its meter.
    #[error("the organisation's meter was too busy")]
    Contended,
    /// The database was lost before the verdict was durable: whether the request was charged is not known.
    #[error("the database was lost before the verdict was durable")]
    NotDurable,
    /// A defect of ours: whether the request was charged is not known.
    #[error(transparent)]
    Lost(#[from] BatchLost),
}

impl From<sqlx::Error> for AdmissionError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}
