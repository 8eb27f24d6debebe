//! Batches concurrent requests, so that one round trip to the database serves many.
//!
//! A lone item is processed in the task that submits it. Items that arrive meanwhile, or during a
//! batch, form the next batch in a task of its own. A batch that was sent takes no more items, so a
//! result shows everything that was committed before its item was submitted.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, mpsc, oneshot},
    time::{Instant, sleep, timeout},
};

/// Most items that wait for a worker; beyond, [`Batcher::submit`] waits.
const QUEUE_LIMIT: usize = 4_096;
/// Size from which on a batch is worth a worker of its own: larger ones hardly save more per item.
const WORTHWHILE_SIZE: usize = 16;
/// Time for which a smaller batch, or a lone item, keeps the other workers from taking items.
const TOKEN_LIMIT: Duration = Duration::from_millis(10);

pub(crate) trait Worker: Send + 'static {
    type Item: Send + 'static;
    type Output: Send + 'static;

    /// Returns one output per item, in their order. Its future is dropped half-way only with the
    /// submission of a lone item.
    fn process(&mut self, items: Vec<Self::Item>)
    -> impl Future<Output = Vec<Self::Output>> + Send;

    /// Runs after the outputs were delivered and delays the next batch, which grows meanwhile.
    fn after_batch(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Returns the time that the next batch waits for as many items as the previous one had, so
    /// that clients that repeat at once share a batch instead of alternating between two.
    fn max_wait(&self) -> Duration {
        Duration::ZERO
    }
}

pub(crate) struct Batcher<W: Worker> {
    queue: mpsc::Sender<Pending<W>>,
    inline: Arc<InlineWorker<W>>,
}

/// Processes a lone item in the task that submits it: waking another task, and perhaps another
/// thread, would delay it.
struct InlineWorker<W> {
    worker: Mutex<W>,
    /// No batch is in progress or expected.
    is_idle: AtomicBool,
}

/// A worker panicked, so it is not known which items of the batch were processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch was lost")]
pub struct BatchLost;

struct Pending<W: Worker> {
    item: W::Item,
    output: oneshot::Sender<W::Output>,
}

struct Queue<W: Worker> {
    pending: mpsc::Receiver<Pending<W>>,
    inline: Arc<InlineWorker<W>>,
    /// A lone item, if there is one, may end soon.
    awaits_inline: bool,
    latest_size: usize,
}

/// The right to gather the next batch.
type Token<W> = OwnedMutexGuard<Queue<W>>;

impl<W: Worker> Batcher<W> {
    /// Starts `workers` tasks, which end with this value, and keeps another worker for lone items.
    pub(crate) fn start(workers: usize, size_limit: usize, worker: impl Fn() -> W) -> Self {
        let (queue, pending) = mpsc::channel(QUEUE_LIMIT);
        let inline = InlineWorker { worker: Mutex::new(worker()), is_idle: AtomicBool::new(true) };
        let inline = Arc::new(inline);
        let tokens =
            Queue { pending, inline: Arc::clone(&inline), awaits_inline: true, latest_size: 0 };
        let tokens = Arc::new(Mutex::new(tokens));
        for _ in 0..workers {
            tokio::spawn(run(worker(), Arc::clone(&tokens), size_limit));
        }
        Self { queue, inline }
    }

    /// Waits for the output of the item, alone or in the next batch.
    pub(crate) async fn submit(&self, item: W::Item) -> Result<W::Output, BatchLost> {
        if self.inline.is_idle.load(Ordering::Relaxed)
            && let Ok(mut worker) = self.inline.worker.try_lock()
        {
            // Boxed: else every request's future has room for it.
            let mut outputs = Box::pin(process(&mut *worker, vec![item])).await?;
            return outputs.pop().ok_or(BatchLost);
        }
        let (output, receiver) = oneshot::channel();
        let pending = Pending { item, output };
        self.queue.send(pending).await.map_err(|_| BatchLost)?;
        receiver.await.map_err(|_| BatchLost)
    }
}

impl<W: Worker> Queue<W> {
    /// Gathers the next batch, which is empty once the [`Batcher`] is gone.
    async fn gather(&mut self, size_limit: usize, max_wait: Duration) -> Vec<Pending<W>> {
        // Tasks that are ready to submit an item do so first, else it waits for the batch after
        // this.
        tokio::task::yield_now().await;
        let mut batch = Vec::with_capacity(size_limit);
        self.inline.is_idle.store(self.latest_size <= 1, Ordering::Relaxed);
        self.pending.recv_many(&mut batch, size_limit).await;
        self.inline.is_idle.store(false, Ordering::Relaxed);
        self.await_inline(&mut batch, size_limit).await;
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
            // If there are no peers, the batch is sent as it is, and the next one expects no more.
            let _ = timeout(max_wait, peers).await;
        }
        self.latest_size = batch.len();
        batch
    }

    /// Waits for the lone item and adds the items that arrived meanwhile. Like a small batch, a
    /// lone item delays others for a limited time.
    async fn await_inline(&mut self, batch: &mut Vec<Pending<W>>, size_limit: usize) {
        if self.inline.worker.try_lock().is_ok() {
            self.awaits_inline = true;
        } else if self.awaits_inline {
            self.awaits_inline = timeout(TOKEN_LIMIT, self.inline.worker.lock()).await.is_ok();
            while batch.len() < size_limit
                && let Ok(pending) = self.pending.try_recv()
            {
                batch.push(pending);
            }
        }
    }
}

/// Gathers and processes batches.
///
/// A small batch keeps the token, so that items that arrive meanwhile become one batch and not one
/// per worker. It keeps the token briefly: a batch that waits for a lock must not block others.
async fn run<W: Worker>(mut worker: W, tokens: Arc<Mutex<Queue<W>>>, size_limit: usize) {
    let mut kept: Option<Token<W>> = None;
    // Shared by all batches: resetting it costs less than a new one, which wakes the runtime.
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

async fn process_batch<W: Worker>(worker: &mut W, batch: Vec<Pending<W>>) {
    let (items, senders): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|pending| (pending.item, pending.output)).unzip();
    // The dropped senders report a lost batch.
    let Ok(outputs) = process(worker, items).await else {
        return;
    };
    for (sender, output) in senders.into_iter().zip(outputs) {
        // The receiver may be gone.
        let _ = sender.send(output);
    }
    worker.after_batch().await;
}

/// Processes items; a panic loses them, and the worker goes on.
async fn process<W: Worker>(
    worker: &mut W,
    items: Vec<W::Item>,
) -> Result<Vec<W::Output>, BatchLost> {
    let outputs = AssertUnwindSafe(worker.process(items)).catch_unwind().await;
    outputs.map_err(|_| {
        tracing::error!("a worker panicked; its batch is lost");
        BatchLost
    })
}

#[cfg(test)]
mod tests;
