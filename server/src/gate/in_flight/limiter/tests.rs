//! Waiting and cancelling, on a clock that the tests move.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, poll};
use tokio::time::{Instant, advance};

use super::{
    InFlightLimiter, InFlightLimits, OWNERS_LIMIT, Owner, Permit, SPECULATIVE_READ_MAX_IN_FLIGHT,
    Shed,
};
use crate::{
    gate::{ApiKey, Environment, KeyHash},
    id::OrganizationId,
    metrics::Metrics,
};

const QUEUE: Duration = Duration::from_millis(100);

fn limiter(all: usize, per_organization: usize) -> Arc<InFlightLimiter> {
    let limits = InFlightLimits { all, per_organization, queue: QUEUE };
    InFlightLimiter::new(limits, Metrics::default())
}

fn key() -> KeyHash {
    ApiKey::generate(Environment::Test).hash()
}

/// A key whose owner is cached.
fn known(limiter: &Arc<InFlightLimiter>, last: char) -> KeyHash {
    let key = key();
    let organization = OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}"));
    let owner = Owner { organization: organization.unwrap(), key_id: "key".into() };
    limiter.cache_owner(key, owner);
    key
}

fn acquire(limiter: &Arc<InFlightLimiter>, key: KeyHash) -> Permit {
    let acquired = limiter.acquire(key, None).now_or_never();
    acquired.expect("no wait").expect("a permit")
}

#[tokio::test(start_paused = true)]
async fn request_is_shed_after_its_time_in_the_queue() {
    let limiter = limiter(1, 1);
    let permit = acquire(&limiter, key());
    let begun = Instant::now();
    assert_eq!(limiter.acquire(key(), None).await.unwrap_err(), Shed);
    assert_eq!(begun.elapsed(), QUEUE);
    drop(permit);
    acquire(&limiter, key());
}

#[tokio::test(start_paused = true)]
async fn queued_request_takes_the_next_free_permit() {
    let limiter = limiter(1, 1);
    let permit = acquire(&limiter, key());
    let mut waiting = Box::pin(limiter.acquire(key(), None));
    assert!(poll!(&mut waiting).is_pending());
    advance(QUEUE / 2).await;
    drop(permit);
    assert!(waiting.now_or_never().expect("no longer").is_ok());
}

#[tokio::test(start_paused = true)]
async fn permit_granted_to_a_cancelled_request_is_free() {
    let limiter = limiter(1, 1);
    let permit = acquire(&limiter, key());
    let mut waiting = Box::pin(limiter.acquire(key(), None));
    assert!(poll!(&mut waiting).is_pending());
    drop(permit);
    drop(waiting);
    acquire(&limiter, key());
}

#[tokio::test(start_paused = true)]
async fn keys_of_one_organization_share_its_permits() {
    let limiter = limiter(10, 2);
    let (one, two) = (known(&limiter, 'A'), known(&limiter, 'A'));
    let other = known(&limiter, 'B');
    let _permits = (acquire(&limiter, one), acquire(&limiter, two));
    assert_eq!(limiter.acquire(one, None).await.unwrap_err(), Shed);
    acquire(&limiter, other);
}

#[tokio::test(start_paused = true)]
async fn quiet_organization_goes_before_a_noisy_one_that_waited_longer() {
    let limiter = limiter(2, 2);
    let (noisy, quiet) = (known(&limiter, 'A'), known(&limiter, 'B'));
    let permits = [acquire(&limiter, noisy), acquire(&limiter, noisy)];
    let mut crowd: Vec<_> = (0..50).map(|_| Box::pin(limiter.acquire(noisy, None))).collect();
    for waiting in &mut crowd {
        assert!(poll!(waiting).is_pending());
    }
    let mut waiting = Box::pin(limiter.acquire(quiet, None));
    assert!(poll!(&mut waiting).is_pending());
    drop(permits.into_iter().next());
    assert!(poll!(&mut waiting).is_ready());
}

#[tokio::test(start_paused = true)]
async fn made_up_keys_of_one_address_are_one_client() {
    let limiter = limiter(10, 2);
    let address = "192.0.2.1".parse().ok();
    let one = limiter.acquire(key(), address).await.unwrap();
    let _two = limiter.acquire(key(), address).await.unwrap();
    assert_eq!(limiter.acquire(key(), address).await.unwrap_err(), Shed);
    drop(one);
    assert!(limiter.acquire(key(), address).await.is_ok());
    assert!(limiter.acquire(key(), "192.0.2.2".parse().ok()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn owner_is_returned_while_few_are_in_flight() {
    let limiter = limiter(100, 100);
    let key = known(&limiter, 'A');
    let mut permits: Vec<Permit> =
        (0..SPECULATIVE_READ_MAX_IN_FLIGHT).map(|_| acquire(&limiter, key)).collect();
    let owner = limiter.cached_owner_if_idle(key).expect("few are in flight");
    assert!(owner.organization.as_str().ends_with('A'));
    assert_eq!(limiter.cached_owner_if_idle(self::key()), None);
    permits.push(acquire(&limiter, key));
    assert_eq!(limiter.cached_owner_if_idle(key), None);
    permits.pop();
    assert!(limiter.cached_owner_if_idle(key).is_some());
}

#[tokio::test(start_paused = true)]
async fn keys_beyond_the_limit_displace_others_and_not_all_of_them() {
    let limiter = limiter(1, 1);
    let organization = OrganizationId::parse("org_01JV3N8Q5RHWXK2M4P6S7T9V0A").unwrap();
    let owner = Owner { organization, key_id: "key".into() };
    let keys: Vec<KeyHash> = (0..OWNERS_LIMIT + 1_000).map(|_| key()).collect();
    for key in &keys {
        limiter.cache_owner(*key, owner.clone());
    }
    let known = keys.iter().filter(|key| limiter.cached_owner_if_idle(**key).is_some()).count();
    assert!((OWNERS_LIMIT * 9 / 10..=OWNERS_LIMIT).contains(&known), "{known}");
}
