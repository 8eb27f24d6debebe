//! Bounds resources: a caller beyond the bound waits briefly, then gives up.
//!
//! | file | owns |
//! |---|---|
//! | this one | permits in order of arrival, such as bytes of memory |
//! | `fair` | permits that clients share, so that none starves the others |
//! | `fair_queue` | the order in which clients get these |
//! | `turns` | the order of the callers of one key |

mod fair;
mod fair_queue;
mod turns;

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

pub(crate) use fair::{FairPermit, FairPermits, Overloaded};
pub(crate) use fair_queue::Capacity;
pub(crate) use turns::{QueueFull, Turn, Turns, Waiting};

/// Permits in order of arrival; a clone shares them.
#[derive(Clone, Debug)]
pub struct Permits {
    free: Arc<Semaphore>,
    max_wait: Duration,
}

impl Permits {
    /// Creates `count` permits. A caller waits at most `max_wait`.
    #[must_use]
    pub fn new(count: usize, max_wait: Duration) -> Self {
        let free = Arc::new(Semaphore::new(count));
        Self { free, max_wait }
    }

    /// Takes `count` permits until the returned value is dropped, or returns `None` if they do not
    /// become free in time.
    pub async fn acquire(&self, count: usize) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(count).ok()?;
        let acquired = Arc::clone(&self.free).acquire_many_owned(count);
        timeout(self.max_wait, acquired).await.ok()?.ok()
    }
}
