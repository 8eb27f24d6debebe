//! Tests how requests are counted, and the cache of owners.

use futures_util::FutureExt;

use super::*;
use crate::gate::{ApiKey, Environment};

const QUEUE: Duration = Duration::from_millis(100);

pub(in crate::gate) fn limiter(all: usize, per_organization: usize) -> InFlightLimiter {
    let limits = InFlightLimits { all, per_organization, queue: QUEUE };
    InFlightLimiter::new(limits, Metrics::default())
}

pub(in crate::gate) fn key() -> KeyHash {
    ApiKey::generate(Environment::Test).hash()
}

pub(in crate::gate) fn owner(last: char) -> Owner {
    let organization = OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}"));
    Owner { organization: organization.unwrap(), key_id: "key".into() }
}

/// A key whose owner is cached.
pub(in crate::gate) fn known(limiter: &InFlightLimiter, last: char) -> KeyHash {
    let key = key();
    limiter.cache_owner(key, owner(last));
    key
}

pub(in crate::gate) fn acquire(limiter: &InFlightLimiter, key: KeyHash) -> Permit {
    let acquired = limiter.acquire(key, None).now_or_never();
    acquired.expect("no wait").expect("a permit")
}

#[tokio::test(start_paused = true)]
async fn keys_of_one_organization_share_its_permits() {
    let limiter = limiter(10, 2);
    let (one, two) = (known(&limiter, 'A'), known(&limiter, 'A'));
    let other = known(&limiter, 'B');
    let _permits = (acquire(&limiter, one), acquire(&limiter, two));
    let begun = tokio::time::Instant::now();
    assert_eq!(limiter.acquire(one, None).await.err(), Some(Overloaded));
    assert_eq!(begun.elapsed(), QUEUE);
    acquire(&limiter, other);
}

#[tokio::test(start_paused = true)]
async fn made_up_keys_of_one_address_are_one_client() {
    let limiter = limiter(10, 2);
    let address = "192.0.2.1".parse().ok();
    let one = limiter.acquire(key(), address).await.unwrap();
    let _two = limiter.acquire(key(), address).await.unwrap();
    assert_eq!(limiter.acquire(key(), address).await.err(), Some(Overloaded));
    drop(one);
    assert!(limiter.acquire(key(), address).await.is_ok());
    assert!(limiter.acquire(key(), "192.0.2.2".parse().ok()).await.is_ok());
}

#[test]
fn keys_beyond_the_limit_displace_others_and_not_all_of_them() {
    let limiter = limiter(1, 1);
    let keys: Vec<KeyHash> = (0..OWNERS_LIMIT + 1_000).map(|_| known(&limiter, 'A')).collect();
    let known = keys.iter().filter(|key| limiter.owner(**key).is_some()).count();
    assert!((OWNERS_LIMIT * 9 / 10..=OWNERS_LIMIT).contains(&known), "{known}");
}
