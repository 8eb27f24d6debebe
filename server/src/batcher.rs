//! Batches concurrent requests, so that one round trip to the database serves many.
//!
//! A lone request is sent immediately; requests that arrive during a batch form the next one. A
//! batch that was sent takes no more items, so a result shows whatever was committed before its
//! item was submitted.

use std::{future::Future, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, mpsc, oneshot},
    time::{Instant, sleep, timeout},
};

/// Items that wait for a worker; above it, [`Batcher::submit`] waits.
const QUEUE_LIMIT: usize = 4_096;
/// From this size on a batch is worth a worker of its own: larger ones hardly save more per item.
const WORTHWHILE_SIZE: usize = 16;
/// How long a smaller batch keeps the other workers from taking what arrives meanwhile.
const TOKEN_LIMIT: Duration = Duration::from_millis(10);

/// Processes one batch at a time.
pub(crate) trait Worker: Send + 'static {
    type Item: Send + 'static;
    type Output: Send + 'static;

    /// Returns one output per item, in their order. Its future is never dropped half-way.
    fn process(&mut self, items: Vec<Self::Item>)
    -> impl Future<Output = Vec<Self::Output>> + Send;

    /// Runs after the outputs were delivered and delays the next batch, which grows meanwhile.
    fn after_batch(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// How long the next batch waits for as many items as the previous one had, so that clients
    /// that repeat at once share a batch instead of alternating between two.
    fn max_wait(&self) -> Duration {
        Duration::ZERO
    }
}

/// Workers and the queue in front of them.
#[derive(Debug)]
pub(crate) struct Batcher<Item, Output> {
    queue: mpsc::Sender<Pending<Item, Output>>,
}

/// A worker panicked over this batch; how much of it was done is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch was lost")]
pub struct BatchLost;

#[derive(Debug)]
struct Pending<Item, Output> {
    item: Item,
    output: oneshot::Sender<Output>,
}

#[derive(Debug)]
struct Queue<Item, Output> {
    pending: mpsc::Receiver<Pending<Item, Output>>,
    latest_size: usize,
}

/// The right to gather the next batch.
type Token<W> = OwnedMutexGuard<Queue<<W as Worker>::Item, <W as Worker>::Output>>;

impl<Item: Send + 'static, Output: Send + 'static> Batcher<Item, Output> {
    /// Starts the workers, each in a task that ends with this value.
    pub(crate) fn start<W>(workers: impl IntoIterator<Item = W>, size_limit: usize) -> Self
    where
        W: Worker<Item = Item, Output = Output>,
    {
        let (queue, pending) = mpsc::channel(QUEUE_LIMIT);
        let queued = Queue { pending, latest_size: 0 };
        let tokens = Arc::new(Mutex::new(queued));
        for worker in workers {
            tokio::spawn(run(worker, Arc::clone(&tokens), size_limit));
        }
        Self { queue }
    }

    /// Adds the item to the next batch and waits for its output.
    pub(crate) async fn submit(&self, item: Item) -> Result<Output, BatchLost> {
        let (output, receiver) = oneshot::channel();
        let pending = Pending { item, output };
        self.queue.send(pending).await.map_err(|_| BatchLost)?;
        receiver.await.map_err(|_| BatchLost)
    }
}

impl<Item, Output> Queue<Item, Output> {
    /// The next batch; empty once the [`Batcher`] is gone.
    async fn gather(
        &mut self,
        size_limit: usize,
        max_wait: Duration,
    ) -> Vec<Pending<Item, Output>> {
        // Tasks that are ready to submit do so first, instead of waiting for the batch after this.
        tokio::task::yield_now().await;
        let mut batch = Vec::with_capacity(size_limit);
        self.pending.recv_many(&mut batch, size_limit).await;
        let expected = self.latest_size.min(WORTHWHILE_SIZE);
        if batch.len() < expected && !max_wait.is_zero() {
            let peers = async {
                while batch.len() < expected {
                    let room = size_limit - batch.len();
                    if self.pending.recv_many(&mut batch, room).await == 0 {
                        break;
                    }
                }
            };
            // Without them the batch is sent as it is, and the next one expects no more than that.
            let _ = timeout(max_wait, peers).await;
        }
        self.latest_size = batch.len();
        batch
    }
}

/// Gathers and processes batches.
///
/// A small batch keeps the token, so that what arrives meanwhile becomes one batch and not one per
/// worker. It keeps it for a short time only: a batch that waits for a lock must not block others.
async fn run<W: Worker>(
    mut worker: W,
    tokens: Arc<Mutex<Queue<W::Item, W::Output>>>,
    size_limit: usize,
) {
    let mut kept: Option<Token<W>> = None;
    // One for all batches: to move it on costs less than to make another, which wakes the runtime.
    let mut limit = pin!(sleep(TOKEN_LIMIT));
    loop {
        let mut token = match kept.take() {
            Some(token) => token,
            None => Arc::clone(&tokens).lock_owned().await,
        };
        let batch = token.gather(size_limit, worker.max_wait()).await;
        if batch.is_empty() {
            return;
        }
        let is_small = batch.len() < WORTHWHILE_SIZE;
        let mut processed = pin!(process_batch(&mut worker, batch));
        if is_small {
            limit.as_mut().reset(Instant::now() + TOKEN_LIMIT);
            tokio::select! {
                biased;
                () = &mut processed => {
                    kept = Some(token);
                    continue;
                }
                () = &mut limit => {}
            }
        }
        drop(token);
        processed.await;
    }
}

async fn process_batch<W: Worker>(worker: &mut W, batch: Vec<Pending<W::Item, W::Output>>) {
    let (items, senders): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|pending| (pending.item, pending.output)).unzip();
    // The worker survives a panic; the dropped senders report the batch as lost.
    let outputs = AssertUnwindSafe(worker.process(items)).catch_unwind().await;
    let Ok(outputs) = outputs else {
        tracing::error!("a worker panicked; its batch is lost");
        return;
    };
    for (sender, output) in senders.into_iter().zip(outputs) {
        // The receiver may be gone.
        let _ = sender.send(output);
    }
    worker.after_batch().await;
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Returns each item and the size of its batch, once a permit is there.
    struct Echo(Arc<Semaphore>);

    impl Worker for Echo {
        type Item = usize;
        type Output = (usize, usize);

        async fn process(&mut self, items: Vec<usize>) -> Vec<(usize, usize)> {
            self.0.acquire().await.unwrap().forget();
            assert!(!items.contains(&13), "a defect");
            items.iter().map(|item| (*item, items.len())).collect()
        }
    }

    fn echo(workers: usize, size_limit: usize) -> (Batcher<usize, (usize, usize)>, Arc<Semaphore>) {
        let go = Arc::new(Semaphore::new(0));
        let workers = (0..workers).map(|_| Echo(Arc::clone(&go)));
        (Batcher::start(workers, size_limit), go)
    }

    #[tokio::test]
    async fn items_submitted_during_a_batch_form_the_next_one_in_order() {
        let (batcher, go) = echo(1, 4);
        let first = batcher.submit(0);
        let rest = async {
            while go.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            let rest = join_all((1..7).map(|number| batcher.submit(number)));
            let release = async { go.add_permits(3) };
            tokio::join!(rest, release).0
        };
        let (first, rest) = tokio::join!(first, rest);
        assert_eq!(first.unwrap().0, 0);
        let rest: Vec<_> = rest.into_iter().map(Result::unwrap).collect();
        assert_eq!(rest.iter().map(|(item, _)| *item).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert!(rest.iter().all(|(_, size)| *size <= 4), "{rest:?}");
        assert!(rest.iter().any(|(_, size)| *size > 1), "{rest:?}");
    }

    #[tokio::test]
    async fn worker_that_panics_loses_its_batch_and_continues() {
        let (batcher, go) = echo(1, 4);
        go.add_permits(2);
        assert_eq!(batcher.submit(13).await, Err(BatchLost));
        assert_eq!(batcher.submit(1).await, Ok((1, 1)));
    }

    #[tokio::test(start_paused = true)]
    async fn small_batch_keeps_its_token_for_a_limited_time() {
        let (batcher, go) = echo(2, 64);
        let begun = Instant::now();
        let first = batcher.submit(0);
        let rest = async {
            // Both workers are started, and the first item is sent.
            settled().await;
            let rest = join_all((1..4).map(|number| batcher.submit(number)));
            let release = async {
                settled().await;
                assert_eq!(go.available_permits(), 0);
                assert_eq!(begun.elapsed(), Duration::ZERO);
                tokio::time::sleep(TOKEN_LIMIT).await;
                settled().await;
                // The first batch still waits; the other worker sent the others together.
                go.add_permits(2);
            };
            tokio::join!(rest, release).0
        };
        let (first, rest) = tokio::join!(first, rest);
        assert_eq!(first, Ok((0, 1)));
        assert_eq!(rest, [Ok((1, 3)), Ok((2, 3)), Ok((3, 3))]);
        assert_eq!(begun.elapsed(), TOKEN_LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn large_batch_passes_its_token_on_at_once() {
        let (batcher, go) = echo(2, WORTHWHILE_SIZE);
        let begun = Instant::now();
        let submitted =
            join_all((100..100 + 2 * WORTHWHILE_SIZE).map(|number| batcher.submit(number)));
        let both_under_way = async {
            settled().await;
            assert!(batcher.queue.capacity() == QUEUE_LIMIT, "nothing waits");
            go.add_permits(2);
        };
        let (outputs, ()) = tokio::join!(submitted, both_under_way);
        assert!(outputs.iter().all(|output| output.unwrap().1 == WORTHWHILE_SIZE));
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    /// Returns the batch's size at once, and waits for peers.
    struct Patient;

    impl Worker for Patient {
        type Item = ();
        type Output = usize;

        async fn process(&mut self, items: Vec<()>) -> Vec<usize> {
            vec![items.len(); items.len()]
        }

        fn max_wait(&self) -> Duration {
            Duration::from_millis(3)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn items_that_shared_a_batch_wait_for_each_other() {
        let batcher = Batcher::start([Patient], 64);
        assert_eq!(join_all((0..2).map(|_| batcher.submit(()))).await, [Ok(2), Ok(2)]);
        let late = async {
            tokio::time::sleep(Duration::from_millis(2)).await;
            batcher.submit(()).await
        };
        assert_eq!(tokio::join!(batcher.submit(()), late), (Ok(2), Ok(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn missing_peer_is_waited_for_once_within_max_wait() {
        let batcher = Batcher::start([Patient], 64);
        join_all((0..2).map(|_| batcher.submit(()))).await;
        let begun = Instant::now();
        assert_eq!(batcher.submit(()).await, Ok(1));
        let waited = begun.elapsed();
        assert!(waited <= Duration::from_millis(4), "{waited:?}");
        assert_eq!(batcher.submit(()).await, Ok(1));
        assert_eq!(begun.elapsed(), waited);
    }

    /// Lets every other task run until it waits.
    async fn settled() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn workers_end_with_their_batcher() {
        struct Ending(#[expect(dead_code)] oneshot::Sender<()>);
        impl Worker for Ending {
            type Item = ();
            type Output = ();
            async fn process(&mut self, items: Vec<()>) -> Vec<()> {
                items
            }
        }
        let (ending, ended) = oneshot::channel();
        drop(Batcher::start([Ending(ending)], 1));
        assert!(ended.await.is_err(), "the worker was dropped");
    }
}
