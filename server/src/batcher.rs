//! Batcher: what is asked while a batch is under way waits, and goes with the next, so that one round trip to the database
//! serves many.
//!
//! It refuses to make anybody wait for company that was not there before: who asks alone leaves at once. And it refuses to
//! add an ask to a batch that has left, so whatever was committed before an ask is seen by its answer.

use std::{future::Future, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, mpsc, oneshot},
    time::timeout,
};

/// Asks that wait for a lane; above it, whoever asks waits for its place.
const WAITING_LIMIT: usize = 4_096;
/// From this size on a batch is worth a lane of its own; a larger one costs hardly less for each of its asks.
const WORTHWHILE: usize = 16;
/// How long a smaller batch keeps the other lanes from taking what comes meanwhile.
const TURN_LIMIT: Duration = Duration::from_millis(10);

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

    /// How long the next batch waits for as many asks as the one before it had: those who ask again as soon as they are
    /// answered then go together, and not by turns.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

/// Lanes, and the queue before them.
#[derive(Debug)]
pub struct Batcher<Ask, Answer> {
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

/// What waits, for the lane whose turn it is.
#[derive(Debug)]
struct Queue<Ask, Answer> {
    waiting: mpsc::Receiver<Waiting<Ask, Answer>>,
    /// How many asks the latest batch had.
    latest: usize,
}

type Turn<L> = OwnedMutexGuard<Queue<<L as Lane>::Ask, <L as Lane>::Answer>>;

impl<Ask: Send + 'static, Answer: Send + 'static> Batcher<Ask, Answer> {
    /// Starts the lanes, each a task that ends with this value; a batch holds at most `size_limit` asks.
    #[must_use]
    pub fn start<L>(lanes: impl IntoIterator<Item = L>, size_limit: usize) -> Self
    where
        L: Lane<Ask = Ask, Answer = Answer>,
    {
        let (queue, waiting) = mpsc::channel(WAITING_LIMIT);
        let turns = Arc::new(Mutex::new(Queue { waiting, latest: 0 }));
        for lane in lanes {
            tokio::spawn(serve(lane, Arc::clone(&turns), size_limit));
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

impl<Ask, Answer> Queue<Ask, Answer> {
    /// The next batch; empty where nobody can ask any more.
    async fn gather(&mut self, size_limit: usize, patience: Duration) -> Vec<Waiting<Ask, Answer>> {
        // Tasks that are ready to ask ask first: they would only wait for the batch that leaves now.
        tokio::task::yield_now().await;
        let mut batch = Vec::with_capacity(size_limit);
        self.waiting.recv_many(&mut batch, size_limit).await;
        let expected = self.latest.min(WORTHWHILE);
        if batch.len() < expected && !patience.is_zero() {
            let company = async {
                while batch.len() < expected {
                    let room = size_limit - batch.len();
                    if self.waiting.recv_many(&mut batch, room).await == 0 {
                        break;
                    }
                }
            };
            // Where they do not come, the batch leaves without them, and the next one expects no more than came.
            let _ = timeout(patience, company).await;
        }
        self.latest = batch.len();
        batch
    }
}

/// One lane: gathers a batch, answers it, and gathers again.
///
/// A small batch keeps the turn, so that what comes meanwhile becomes one batch, and not one for each lane; but not for long:
/// one that is held up, by a lock say, must not hold up the others.
async fn serve<L: Lane>(
    mut lane: L,
    turns: Arc<Mutex<Queue<L::Ask, L::Answer>>>,
    size_limit: usize,
) {
    let mut kept: Option<Turn<L>> = None;
    loop {
        let mut turn = match kept.take() {
            Some(turn) => turn,
            None => Arc::clone(&turns).lock_owned().await,
        };
        let batch = turn.gather(size_limit, lane.patience()).await;
        if batch.is_empty() {
            return;
        }
        let is_small = batch.len() < WORTHWHILE;
        let mut served = pin!(serve_batch(&mut lane, batch));
        if is_small && timeout(TURN_LIMIT, &mut served).await.is_ok() {
            kept = Some(turn);
        } else {
            drop(turn);
            served.await;
        }
    }
}

async fn serve_batch<L: Lane>(lane: &mut L, batch: Vec<Waiting<L::Ask, L::Answer>>) {
    let (asks, waiting): (Vec<_>, Vec<_>) = batch
        .into_iter()
        .map(|waiting| (waiting.ask, waiting.answer))
        .unzip();
    // A lane outlives a defect: those who wait for this batch learn that it is lost, by their senders' end.
    let answers = AssertUnwindSafe(lane.answer(asks)).catch_unwind().await;
    let Ok(answers) = answers else {
        tracing::error!("a lane panicked; its batch is lost");
        return;
    };
    for (waiting, answer) in waiting.into_iter().zip(answers) {
        // Whoever asked may have gone.
        let _ = waiting.send(answer);
    }
    lane.settle().await;
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::{sync::Semaphore, time::Instant};

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

    fn echo(lanes: usize, size_limit: usize) -> (Batcher<usize, (usize, usize)>, Arc<Semaphore>) {
        let go = Arc::new(Semaphore::new(0));
        let lanes = (0..lanes).map(|_| Echo(Arc::clone(&go)));
        (Batcher::start(lanes, size_limit), go)
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

    #[tokio::test(start_paused = true)]
    async fn small_batch_keeps_its_turn_but_not_for_long() {
        let (batches, go) = echo(2, 64);
        let begun = Instant::now();
        let first = batches.ask(0);
        let rest = async {
            // Both lanes are started, and the first ask has left.
            settled().await;
            let rest = join_all((1..4).map(|number| batches.ask(number)));
            let let_one_go = async {
                settled().await;
                assert_eq!(go.available_permits(), 0);
                assert_eq!(begun.elapsed(), Duration::ZERO);
                tokio::time::sleep(TURN_LIMIT).await;
                settled().await;
                // The first batch is still held up; the others have left together, on the other lane.
                go.add_permits(2);
            };
            tokio::join!(rest, let_one_go).0
        };
        let (first, rest) = tokio::join!(first, rest);
        assert_eq!(first, Ok((0, 1)));
        assert_eq!(rest, [Ok((1, 3)), Ok((2, 3)), Ok((3, 3))]);
        assert_eq!(begun.elapsed(), TURN_LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn worthwhile_batch_lets_another_lane_go_on_at_once() {
        let (batches, go) = echo(2, WORTHWHILE);
        let begun = Instant::now();
        let asks = join_all((100..100 + 2 * WORTHWHILE).map(|number| batches.ask(number)));
        let both_under_way = async {
            settled().await;
            assert!(batches.queue.capacity() == WAITING_LIMIT, "nothing waits");
            go.add_permits(2);
        };
        let (answers, ()) = tokio::join!(asks, both_under_way);
        assert!(answers.iter().all(|answer| answer.unwrap().1 == WORTHWHILE));
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    /// Answers at once, and waits for company.
    struct Patient;

    impl Lane for Patient {
        type Ask = ();
        type Answer = usize;

        async fn answer(&mut self, asks: Vec<()>) -> Vec<usize> {
            vec![asks.len(); asks.len()]
        }

        fn patience(&self) -> Duration {
            Duration::from_millis(3)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_went_together_wait_for_each_other() {
        let batches = Batcher::start([Patient], 64);
        assert_eq!(
            join_all((0..2).map(|_| batches.ask(()))).await,
            [Ok(2), Ok(2)]
        );
        let late = async {
            tokio::time::sleep(Duration::from_millis(2)).await;
            batches.ask(()).await
        };
        assert_eq!(tokio::join!(batches.ask(()), late), (Ok(2), Ok(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_come_is_waited_for_once_and_not_long() {
        let batches = Batcher::start([Patient], 64);
        join_all((0..2).map(|_| batches.ask(()))).await;
        let begun = Instant::now();
        assert_eq!(batches.ask(()).await, Ok(1));
        let waited = begun.elapsed();
        assert!(waited <= Duration::from_millis(4), "{waited:?}");
        assert_eq!(batches.ask(()).await, Ok(1));
        assert_eq!(begun.elapsed(), waited);
    }

    /// Lets every other task go on until it waits.
    async fn settled() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
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
        drop(Batcher::start([Ending(ending)], 1));
        assert!(ended.await.is_err(), "the lane was dropped");
    }
}
