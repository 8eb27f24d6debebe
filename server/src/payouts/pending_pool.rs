//! Orders the requests that attach lines of an organisation's pending pool (X25): one at a time
//! holds a connection, and a few others wait without one. On several servers the lock in PostgreSQL
//! orders them too.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{failure::Failure, id::OrganizationId, permits::Shared};

const NEVER_CLOSED: &str = "these semaphores are never closed";

/// The requests that attach pending lines, of all organisations.
#[derive(Debug)]
pub struct PendingPool {
    /// Requests of one organisation that wait.
    queued: usize,
    organizations: Shared<OrganizationId, Queue>,
}

#[derive(Debug)]
struct Queue {
    /// Requests that run or wait.
    requests: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// The right to attach pending lines; dropping it lets the next request begin.
#[derive(Debug)]
pub(super) struct Turn {
    _permits: [OwnedSemaphorePermit; 2],
    _queue: Arc<Queue>,
}

impl PendingPool {
    /// At most `queued` requests of an organisation wait for the one that runs.
    pub(crate) fn new(queued: usize) -> Self {
        Self { queued, organizations: Shared::default() }
    }

    /// Waits until no other request of the organisation attaches lines on this server. Dropping the
    /// future leaves the queue.
    ///
    /// # Errors
    /// Too many requests of the organisation wait already.
    pub(super) async fn turn(&self, organization: &OrganizationId) -> Result<Turn, Failure> {
        let queue = self.organizations.get(organization.clone(), || Queue {
            requests: Arc::new(Semaphore::new(1 + self.queued)),
            running: Arc::new(Semaphore::new(1)),
        });
        let request = Arc::clone(&queue.requests).try_acquire_owned();
        let request = request.map_err(|_| Failure::QueueFull("batches"))?;
        let running = Arc::clone(&queue.running).acquire_owned().await.expect(NEVER_CLOSED);
        Ok(Turn { _permits: [request, running], _queue: queue })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, poll};

    use super::*;

    fn organization(last: char) -> OrganizationId {
        OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}")).unwrap()
    }

    #[tokio::test]
    async fn requests_of_one_organization_take_turns_and_others_do_not_wait() {
        let pool = PendingPool::new(1);
        let (noisy, quiet) = (organization('A'), organization('B'));
        let first = pool.turn(&noisy).await.unwrap();
        let mut second = Box::pin(pool.turn(&noisy));
        assert!(poll!(&mut second).is_pending());
        let third = pool.turn(&noisy).now_or_never().unwrap();
        assert!(matches!(third, Err(Failure::QueueFull(_))));
        assert!(pool.turn(&quiet).now_or_never().unwrap().is_ok());
        drop(first);
        assert!(poll!(&mut second).is_ready());
    }
}
