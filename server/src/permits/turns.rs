//! Orders the callers of one key: a few run at once, a few others wait in order of arrival, and
//! more are rejected.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const NEVER_CLOSED: &str = "these semaphores are never closed";

/// Turns of every key, such as an organisation.
pub(crate) struct Turns<K> {
    running: usize,
    queued: usize,
    /// The next caller removes queues that nobody holds.
    queues: Mutex<HashMap<K, Weak<Queue>>>,
}

struct Queue {
    /// Callers that run or wait.
    all: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// A caller that may wait for its turn.
pub(crate) struct Waiting {
    permit: OwnedSemaphorePermit,
    queue: Arc<Queue>,
}

/// The right to run; the next caller runs once it is dropped.
pub(crate) struct Turn {
    _permits: [OwnedSemaphorePermit; 2],
    _queue: Arc<Queue>,
}

/// Too many callers of the key wait already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueFull;

impl<K: Eq + Hash> Turns<K> {
    /// Lets `running` callers of a key run, and `queued` others wait.
    pub(crate) fn new(running: usize, queued: usize) -> Self {
        Self { running, queued, queues: Mutex::default() }
    }

    pub(crate) fn join(&self, key: K) -> Result<Waiting, QueueFull> {
        let queue = self.queue(key);
        let permit = Arc::clone(&queue.all).try_acquire_owned().map_err(|_| QueueFull)?;
        Ok(Waiting { permit, queue })
    }

    fn queue(&self, key: K) -> Arc<Queue> {
        let mut queues = self.queues.lock();
        queues.retain(|_, queue| queue.strong_count() > 0);
        if let Some(queue) = queues.get(&key).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::new(Queue {
            all: Arc::new(Semaphore::new(self.running + self.queued)),
            running: Arc::new(Semaphore::new(self.running)),
        });
        queues.insert(key, Arc::downgrade(&queue));
        queue
    }
}

impl Waiting {
    /// Waits for the turn. Dropping the future leaves the queue.
    pub(crate) async fn turn(self) -> Turn {
        let Self { permit, queue } = self;
        let running = Arc::clone(&queue.running).acquire_owned().await.expect(NEVER_CLOSED);
        Turn { _permits: [permit, running], _queue: queue }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, poll};

    use super::*;

    #[tokio::test]
    async fn callers_of_one_key_take_turns_and_others_do_not_wait() {
        let turns = Turns::new(1, 1);
        let first = turns.join("noisy").unwrap().turn().await;
        let mut second = Box::pin(turns.join("noisy").unwrap().turn());
        assert!(poll!(&mut second).is_pending());
        assert_eq!(turns.join("noisy").err(), Some(QueueFull));
        assert!(turns.join("quiet").unwrap().turn().now_or_never().is_some());
        drop(first);
        assert!(poll!(&mut second).is_ready());
    }

    #[test]
    fn keys_without_callers_leave_nothing_behind() {
        let turns = Turns::new(1, 0);
        for key in 0..50 {
            drop(turns.join(key).unwrap());
        }
        let _last = turns.join(50).unwrap();
        assert_eq!(turns.queues.lock().len(), 1);
    }
}
