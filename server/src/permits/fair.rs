//! Hands out permits by the [`FairQueue`]. Its lock is never held across an await.

use std::{
    fmt,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::timeout};

use super::fair_queue::{Capacity, Enqueued, FairQueue};

/// Permits that clients `C` share, so that none starves the others.
pub(crate) struct FairPermits<C: Client> {
    queue: Mutex<FairQueue<C, oneshot::Sender<FairPermit<C>>>>,
    max_wait: Duration,
}

/// What permits are counted for, such as an organisation.
pub(crate) trait Client: Clone + Eq + Hash + fmt::Debug + Send + 'static {}

impl<C: Clone + Eq + Hash + fmt::Debug + Send + 'static> Client for C {}

/// A permit, until it is dropped.
pub(crate) struct FairPermit<C: Client> {
    permits: Arc<FairPermits<C>>,
    pub(crate) client: C,
}

/// No permit became free in time, or too many wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shed;

struct Waiting<'a, C: Client> {
    permits: &'a FairPermits<C>,
    client: &'a C,
    arrival: u64,
    permit: oneshot::Receiver<FairPermit<C>>,
}

impl<C: Client> FairPermits<C> {
    /// A caller waits at most `max_wait` for its permit.
    pub(crate) fn new(capacity: Capacity, max_wait: Duration) -> Arc<Self> {
        Arc::new(Self { queue: Mutex::new(FairQueue::new(capacity)), max_wait })
    }

    /// Waits for a permit. What `waits` returns is held while it waits.
    pub(crate) async fn acquire<G>(
        self: &Arc<Self>,
        client: C,
        waits: impl FnOnce() -> G,
    ) -> Result<FairPermit<C>, Shed> {
        let mut receiver = None;
        let enqueued = self.queue().enter(&client, || {
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
                waiting.end().await.ok_or(Shed)
            }
            (Enqueued::Queued { .. } | Enqueued::Rejected, _) => Err(Shed),
        }
    }

    /// How many permits are out.
    pub(crate) fn granted(&self) -> usize {
        self.queue().granted()
    }

    fn permit(self: &Arc<Self>, client: C) -> FairPermit<C> {
        FairPermit { permits: Arc::clone(self), client }
    }

    fn queue(&self) -> MutexGuard<'_, FairQueue<C, oneshot::Sender<FairPermit<C>>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Client> Drop for FairPermit<C> {
    fn drop(&mut self) {
        let next = self.permits.queue().release(&self.client);
        if let Some((client, sender)) = next {
            // A receiver that is gone drops the permit, which passes it on.
            let _ = sender.send(self.permits.permit(client));
        }
    }
}

impl<C: Client> fmt::Debug for FairPermit<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FairPermit").field(&self.client).finish()
    }
}

impl<C: Client> fmt::Debug for FairPermits<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FairPermits").field("granted", &self.granted()).finish()
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
        let cancelled = self.permits.queue().cancel(self.client, self.arrival);
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
