//! Identifies the caller to handlers, which always get a `Caller` and never an option.

use std::sync::Arc;

use super::{idempotency::IdempotentRequest, speculation::AdmissionSignal};
use crate::{
    id::OrganizationId,
    postgres::{BorrowedTransaction, SingleStatement, TenantTransaction, Tenants},
    problem::Failure,
};

/// The holder of a valid key with the operation's scope, admitted and charged. An operation that
/// begins with a read may start before that, see [`Caller::admitted`].
#[derive(Clone)]
pub struct Caller {
    /// The organisation whose data this request may touch.
    pub organization: OrganizationId,
    /// The key's id, for the history; of a visitor of the portal, the session's.
    pub key_id: Arc<str>,
    /// The request's id, for the history and the log (R13).
    pub request_id: Arc<str>,
    pub(super) admission: AdmissionSignal,
    /// Set if the request has an idempotency key (X9).
    pub(super) idempotent_request: Option<Arc<IdempotentRequest>>,
    /// The transaction that also stores the response to an idempotency key. It begins where the
    /// work first needs it.
    pub(super) transaction: Option<BorrowedTransaction>,
}

impl Caller {
    /// A visitor of the portal, who needs no key and is not charged; the session stands for the
    /// key.
    pub(crate) fn of_portal(
        organization: OrganizationId,
        session_id: Arc<str>,
        request_id: Arc<str>,
    ) -> Self {
        Self {
            organization,
            key_id: session_id,
            request_id,
            admission: AdmissionSignal::admitted(),
            idempotent_request: None,
            transaction: None,
        }
    }

    /// Opens the transaction for the changes of this request, of which it has one.
    pub(crate) async fn write(&self, tenants: &Tenants) -> Result<TenantTransaction, Failure> {
        let Some(borrowed) = &self.transaction else {
            return Ok(tenants.write(&self.organization).await?);
        };
        let transaction = borrowed.borrow(tenants, &self.organization).await?;
        transaction.ok_or(Failure::IdempotencyInProgress)
    }

    /// Runs a statement that writes, as a transaction of its own or in the one that also stores the
    /// response to an idempotency key.
    pub(crate) async fn run<S: SingleStatement>(
        &self,
        tenants: &Tenants,
        statement: &S,
    ) -> Result<S::Output, Failure> {
        if self.transaction.is_none() {
            return Ok(tenants.run(statement).await?);
        }
        let mut transaction = self.write(tenants).await?;
        let output = statement.run(&mut transaction).await?;
        transaction.commit().await?;
        Ok(output)
    }

    /// Waits until the request is admitted. Before that, nothing may be changed.
    pub(crate) async fn admitted(&self) -> Result<(), Failure> {
        self.admission.wait().await
    }
}
