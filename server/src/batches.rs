//! Batches: what is asked while every lane is busy waits, and goes with the next batch, so that one round trip to the
//! database serves many.
//!
//! It refuses a timer: where nothing else is going on, a batch of one leaves at once. And it refuses to add an ask to a
//! batch that has left, so whatever was committed before an ask is seen by its answer.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt as _;
use tokio::sync::{Mutex, mpsc, oneshot};

/// Asks that wait for a lane; above it, whoever asks waits for its place.
const WAITING_LIMIT: usize = 4_096;

/// One way to the database; it answers a batch at a time.
pub trait Lane: Send + 'static {
    /// What is asked.
    type Ask: Send + 'static;
    /// What is answered.
    type Answer: Send + 'static;

    /// Answers `asks` in their order, each with one answer. Its future is never dropped half-way.
    fn answer(&mut self, asks: Vec<Self::Ask>) -> impl Future<Output = Vec<Self::Answer>> + Send;

    /// Waits, after the answers were handed out, for what shall end before the next batch leaves. Meanwhile that one grows.
    fn settle(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Lanes, and the queue before them.
#[derive(Debug)]
pub struct Batches<Ask, Answer> {
    queue: mpsc::Sender<Waiting<Ask, Answer>>,
}

/// A lane panicked over this batch; what it had done of it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch was lost")]
pub struct BatchLost;

#[derive(Debug)]
struct Waiting<Ask, Answer> {
    ask: Ask,
    answer: oneshot::Sender<Answer>,
}

type Queue<Ask, Answer> = Arc<Mutex<mpsc::Receiver<Waiting<Ask, Answer>>>>;

impl<Ask: Send + 'static, Answer: Send + 'static> Batches<Ask, Answer> {
    /// Starts the lanes, each a task that ends with this value; a batch holds at most `size_limit` asks.
    #[must_use]
    pub fn start<L>(lanes: impl IntoIterator<Item = L>, size_limit: usize) -> Self
    where
        L: Lane<Ask = Ask, Answer = Answer>,
    {
        let (queue, waiting) = mpsc::channel(WAITING_LIMIT);
        let waiting = Arc::new(Mutex::new(waiting));
        for lane in lanes {
            tokio::spawn(serve(lane, Arc::clone(&waiting), size_limit));
        }
        Self { queue }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// The lane panicked.
    pub async fn ask(&self, ask: Ask) -> Result<Answer, BatchLost> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { ask, answer };
        self.queue.send(waiting).await.map_err(|_| BatchLost)?;
        answered.await.map_err(|_| BatchLost)
    }
}

/// One lane: takes whatever waits, answers it, and takes again.
async fn serve<L: Lane>(mut lane: L, queue: Queue<L::Ask, L::Answer>, size_limit: usize) {
    loop {
        // Tasks that are ready to ask ask first: they would only wait for the batch that leaves now.
        tokio::task::yield_now().await;
        let mut batch = Vec::with_capacity(size_limit);
        if queue.lock().await.recv_many(&mut batch, size_limit).await == 0 {
            return;
        }
        let (asks, waiting): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|waiting| (waiting.ask, waiting.answer))
            .unzip();
        // A lane outlives a defect: those who wait for this batch learn that it is lost, by their senders' end.
        let answers = AssertUnwindSafe(lane.answer(asks)).catch_unwind().await;
        let Ok(answers) = answers else {
            tracing::error!("a lane panicked; its batch is lost");
            continue;
        };
        for (waiting, answer) in waiting.into_iter().zip(answers) {
            // Whoever asked may have gone.
            let _ = waiting.send(answer);
        }
        lane.settle().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Answers each ask with itself and the size of its batch, as soon as it is let go on.
    struct Echo(Arc<Semaphore>);

    impl Lane for Echo {
        type Ask = usize;
        type Answer = (usize, usize);

        async fn answer(&mut self, asks: Vec<usize>) -> Vec<(usize, usize)> {
            self.0.acquire().await.unwrap().forget();
            assert!(!asks.contains(&13), "a defect");
            asks.iter().map(|ask| (*ask, asks.len())).collect()
        }
    }

    fn echo(lanes: usize, size_limit: usize) -> (Batches<usize, (usize, usize)>, Arc<Semaphore>) {
        let go = Arc::new(Semaphore::new(0));
        let lanes = (0..lanes).map(|_| Echo(Arc::clone(&go)));
        (Batches::start(lanes, size_limit), go)
    }

    #[tokio::test]
    async fn what_is_asked_while_a_batch_is_under_way_goes_with_the_next_in_its_order() {
        let (batches, go) = echo(1, 4);
        let first = batches.ask(0);
        let rest = async {
            while go.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            let rest = join_all((1..7).map(|number| batches.ask(number)));
            let release = async { go.add_permits(3) };
            tokio::join!(rest, release).0
        };
        let (first, rest) = tokio::join!(first, rest);
        assert_eq!(first.unwrap().0, 0);
        let rest: Vec<_> = rest.into_iter().map(Result::unwrap).collect();
        assert_eq!(
            rest.iter().map(|(ask, _)| *ask).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5, 6]
        );
        assert!(rest.iter().all(|(_, size)| *size <= 4), "{rest:?}");
        assert!(rest.iter().any(|(_, size)| *size > 1), "{rest:?}");
    }

    #[tokio::test]
    async fn lane_that_panics_loses_its_batch_and_goes_on() {
        let (batches, go) = echo(1, 4);
        go.add_permits(2);
        assert_eq!(batches.ask(13).await, Err(BatchLost));
        assert_eq!(batches.ask(1).await, Ok((1, 1)));
    }

    #[tokio::test]
    async fn one_lane_goes_on_while_another_is_busy() {
        let (batches, go) = echo(2, 1);
        let asks = join_all((0..2).map(|number| batches.ask(number)));
        let both_under_way = async {
            while go.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            go.add_permits(2);
        };
        let (answers, ()) = tokio::join!(asks, both_under_way);
        assert!(answers.iter().all(Result::is_ok));
    }

    #[tokio::test]
    async fn lanes_end_with_their_batches() {
        struct Ending(#[expect(dead_code)] oneshot::Sender<()>);
        impl Lane for Ending {
            type Ask = ();
            type Answer = ();
            async fn answer(&mut self, asks: Vec<()>) -> Vec<()> {
                asks
            }
        }
        let (ending, ended) = oneshot::channel();
        drop(Batches::start([Ending(ending)], 1));
        assert!(ended.await.is_err(), "the lane was dropped");
    }
}
