//! The identity that the gate gives to handlers: always a `Caller`, never an option.

use std::sync::Arc;

use tokio::sync::watch;

use super::idempotency::IdempotentRequest;
use crate::{
    id::OrganizationId,
    postgres::{BorrowedTransaction, SingleStatement, TenantTransaction, Tenants},
    problem::Failure,
};

/// The holder of a valid key with the operation's scope, admitted and charged; an operation that
/// begins with a read may begin before that, see [`Caller::admitted`].
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whose data this request may touch.
    pub organization: OrganizationId,
    /// The key's id, for the history.
    pub key_id: Arc<str>,
    /// The request's id, for the history and the log (R13).
    pub request_id: Arc<str>,
    /// Becomes true when the request is admitted, and ends if it is not; `None` where it was
    /// admitted before.
    pub(super) is_admitted: Option<watch::Receiver<bool>>,
    /// The request has an idempotency key (X9).
    pub(super) idempotent_request: Option<Arc<IdempotentRequest>>,
    /// The transaction that also keeps the response to an idempotency key. It begins where the work
    /// needs it first.
    pub(super) transaction: Option<BorrowedTransaction>,
}

impl Caller {
    /// The transaction for what this request changes; a handler opens one.
    pub(crate) async fn write(&self, tenants: &Tenants) -> Result<TenantTransaction, Failure> {
        let Some(borrowed) = &self.transaction else {
            return Ok(tenants.write(&self.organization).await?);
        };
        let transaction = borrowed.borrow(tenants, &self.organization).await?;
        transaction.ok_or(Failure::IdempotencyInProgress)
    }

    /// Runs a statement that writes: as a transaction of its own, or in the one that also keeps the
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

    /// Waits until the request is admitted; before that, nothing may be changed.
    ///
    /// # Errors
    /// [`Failure::NotAdmitted`], which nobody gets: the gate responds with its own reason.
    pub(crate) async fn admitted(&self) -> Result<(), Failure> {
        let Some(mut is_admitted) = self.is_admitted.clone() else {
            return Ok(());
        };
        let admitted = is_admitted.wait_for(|is_admitted| *is_admitted).await;
        admitted.map(drop).map_err(|_| Failure::NotAdmitted)
    }
}
