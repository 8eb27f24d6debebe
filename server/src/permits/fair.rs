//! Grants permits in the order of the [`FairQueue`], whose lock is never held across an await.

use std::{hash::Hash, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{sync::oneshot, time::timeout};

use super::fair_queue::{Capacity, Enqueued, FairQueue};

/// Permits that clients `C` share; none starves the others.
pub(crate) struct FairPermits<C: Client> {
    queue: Mutex<FairQueue<C, oneshot::Sender<FairPermit<C>>>>,
    max_wait: Duration,
}

/// The unit by which permits are counted, such as an organisation.
pub(crate) trait Client: Clone + Eq + Hash + Send + 'static {}

impl<C: Clone + Eq + Hash + Send + 'static> Client for C {}

/// Dropping it releases the permit.
pub(crate) struct FairPermit<C: Client> {
    permits: Arc<FairPermits<C>>,
    pub(crate) client: C,
}

/// No permit became free in time, or too many wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overloaded;

struct Waiting<'a, C: Client> {
    permits: &'a FairPermits<C>,
    client: &'a C,
    arrival: u64,
    permit: oneshot::Receiver<FairPermit<C>>,
}

impl<C: Client> FairPermits<C> {
    /// Creates free permits. A caller waits at most `max_wait`.
    pub(crate) fn new(capacity: Capacity, max_wait: Duration) -> Arc<Self> {
        Arc::new(Self { queue: Mutex::new(FairQueue::new(capacity)), max_wait })
    }

    /// Waits for a permit, and holds the result of `waits` meanwhile.
    pub(crate) async fn acquire<G>(
        self: &Arc<Self>,
        client: C,
        waits: impl FnOnce() -> G,
    ) -> Result<FairPermit<C>, Overloaded> {
        let mut receiver = None;
        let enqueued = self.queue.lock().enter(&client, || {
            let (sender, permit) = oneshot::channel();
            receiver = Some(permit);
            sender
        });
        match (enqueued, receiver) {
            (Enqueued::Granted, _) => Ok(self.permit(client)),
            (Enqueued::Queued { arrival, evicted }, Some(permit)) => {
                drop(evicted);
                let _guard = waits();
                let waiting = Waiting { permits: self, client: &client, arrival, permit };
                waiting.end().await.ok_or(Overloaded)
            }
            (Enqueued::Queued { .. } | Enqueued::Rejected, _) => Err(Overloaded),
        }
    }

    pub(crate) fn granted(&self) -> usize {
        self.queue.lock().granted()
    }

    fn permit(self: &Arc<Self>, client: C) -> FairPermit<C> {
        FairPermit { permits: Arc::clone(self), client }
    }
}

impl<C: Client> Drop for FairPermit<C> {
    fn drop(&mut self) {
        let next = self.permits.queue.lock().release(&self.client);
        if let Some((client, sender)) = next {
            // If the receiver is gone, the dropped permit goes to the next request.
            let _ = sender.send(self.permits.permit(client));
        }
    }
}

impl<C: Client> Waiting<'_, C> {
    async fn end(mut self) -> Option<FairPermit<C>> {
        match timeout(self.permits.max_wait, &mut self.permit).await {
            Ok(permit) => permit.ok(),
            Err(_) => {
                self.cancel();
                // It may have been granted meanwhile.
                self.permit.try_recv().ok()
            }
        }
    }

    fn cancel(&self) {
        let cancelled = self.permits.queue.lock().cancel(self.client, self.arrival);
        drop(cancelled);
    }
}

impl<C: Client> Drop for Waiting<'_, C> {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests;
