//! A bounded resource: a caller beyond the bound waits briefly, then gives up.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// So many permits; a clone shares them.
#[derive(Clone, Debug)]
pub struct Permits {
    free: Arc<Semaphore>,
    max_wait: Duration,
}

impl Permits {
    /// `count` permits, each of which a caller waits for at most `max_wait`.
    #[must_use]
    pub fn new(count: usize, max_wait: Duration) -> Self {
        let free = Arc::new(Semaphore::new(count));
        Self { free, max_wait }
    }

    /// Takes `count` permits until the returned value is dropped; `None` where they do not become
    /// free in time.
    pub async fn acquire(&self, count: usize) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(count).ok()?;
        let acquired = Arc::clone(&self.free).acquire_many_owned(count);
        timeout(self.max_wait, acquired).await.ok()?.ok()
    }
}
