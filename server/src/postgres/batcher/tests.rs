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

fn echo(workers: usize, size_limit: usize) -> (Batcher<Echo>, Arc<Semaphore>) {
    let go = Arc::new(Semaphore::new(0));
    (Batcher::start(workers, size_limit, || Echo(Arc::clone(&go))), go)
}

/// Returns the batcher in the state in which another batch may follow.
async fn expecting<W: Worker>(batcher: Batcher<W>) -> Batcher<W> {
    settled().await;
    batcher.inline.is_idle.store(false, Ordering::Relaxed);
    batcher
}

#[tokio::test]
async fn lone_item_is_processed_without_another_task() {
    let (batcher, go) = echo(1, 4);
    go.add_permits(1);
    assert_eq!(batcher.submit(7).now_or_never(), Some(Ok((7, 1))));
}

#[tokio::test]
async fn dropped_lone_item_frees_the_worker_for_the_next() {
    let (batcher, go) = echo(1, 4);
    assert_eq!(batcher.submit(7).now_or_never(), None);
    go.add_permits(1);
    assert_eq!(batcher.submit(8).now_or_never(), Some(Ok((8, 1))));
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

/// Returns the batch's size, for 0 once a permit is there.
struct ZeroWaits(Arc<Semaphore>);

impl Worker for ZeroWaits {
    type Item = usize;
    type Output = usize;

    async fn process(&mut self, items: Vec<usize>) -> Vec<usize> {
        if items.contains(&0) {
            self.0.acquire().await.unwrap().forget();
        }
        vec![items.len(); items.len()]
    }
}

#[tokio::test(start_paused = true)]
async fn slow_lone_item_delays_the_next_batch_for_a_limited_time_and_no_other() {
    let go = Arc::new(Semaphore::new(0));
    let batcher = Batcher::start(1, 64, || ZeroWaits(Arc::clone(&go)));
    let begun = Instant::now();
    let others = async {
        let next = join_all((1..4).map(|number| batcher.submit(number))).await;
        assert_eq!((next, begun.elapsed()), (vec![Ok(3); 3], TOKEN_LIMIT));
        assert_eq!((batcher.submit(4).await, begun.elapsed()), (Ok(1), TOKEN_LIMIT));
        go.add_permits(1);
    };
    assert_eq!(tokio::join!(batcher.submit(0), others).0, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn small_batch_keeps_its_token_for_a_limited_time() {
    let (batcher, go) = echo(2, 64);
    let batcher = expecting(batcher).await;
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
    let batcher = expecting(batcher).await;
    let begun = Instant::now();
    let submitted = join_all((100..100 + 2 * WORTHWHILE_SIZE).map(|number| batcher.submit(number)));
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
    let batcher = expecting(Batcher::start(1, 64, || Patient)).await;
    assert_eq!(join_all((0..2).map(|_| batcher.submit(()))).await, [Ok(2), Ok(2)]);
    let late = async {
        tokio::time::sleep(Duration::from_millis(2)).await;
        batcher.submit(()).await
    };
    assert_eq!(tokio::join!(batcher.submit(()), late), (Ok(2), Ok(2)));
}

#[tokio::test(start_paused = true)]
async fn missing_peer_is_waited_for_once_within_max_wait() {
    let batcher = expecting(Batcher::start(1, 64, || Patient)).await;
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
    struct Ending(#[expect(dead_code)] Arc<oneshot::Sender<()>>);
    impl Worker for Ending {
        type Item = ();
        type Output = ();
        async fn process(&mut self, items: Vec<()>) -> Vec<()> {
            items
        }
    }
    let (ending, ended) = oneshot::channel();
    let ending = Arc::new(ending);
    drop(Batcher::start(1, 1, || Ending(Arc::clone(&ending))));
    drop(ending);
    assert!(ended.await.is_err(), "the workers were dropped");
}
