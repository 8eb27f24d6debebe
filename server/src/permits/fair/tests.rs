//! Tests cancelling, and what is held meanwhile, on a clock that stands still.

use futures_util::{FutureExt, poll};

use super::*;

const MAX_WAIT: Duration = Duration::from_millis(100);

fn permits(all: usize, per_client: usize) -> Arc<FairPermits<char>> {
    FairPermits::new(Capacity { all, per_client, queue: 100 }, MAX_WAIT)
}

fn acquire(permits: &Arc<FairPermits<char>>, client: char) -> FairPermit<char> {
    let acquired = permits.acquire(client, || ()).now_or_never();
    acquired.expect("no wait").expect("a permit")
}

#[tokio::test(start_paused = true)]
async fn permit_granted_to_a_cancelled_caller_is_free() {
    let permits = permits(1, 1);
    let permit = acquire(&permits, 'a');
    let mut waiting = Box::pin(permits.acquire('a', || ()));
    assert!(poll!(&mut waiting).is_pending());
    drop(permit);
    drop(waiting);
    assert_eq!(permits.granted(), 0);
    acquire(&permits, 'a');
}

#[tokio::test(start_paused = true)]
async fn guard_is_held_while_a_caller_waits_and_no_longer() {
    let permits = permits(1, 1);
    let guard = Arc::new(());
    let waits = || Arc::clone(&guard);
    let permit = permits.acquire('a', waits).now_or_never().unwrap().unwrap();
    assert_eq!(Arc::strong_count(&guard), 1, "it did not wait");
    let mut waiting = Box::pin(permits.acquire('a', waits));
    assert!(poll!(&mut waiting).is_pending());
    assert_eq!(Arc::strong_count(&guard), 2);
    drop(permit);
    waiting.await.unwrap();
    assert_eq!(Arc::strong_count(&guard), 1);
}
