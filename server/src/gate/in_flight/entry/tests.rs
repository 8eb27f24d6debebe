//! Waiting and giving up, on a clock that the tests move.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, poll};
use tokio::time::{Instant, advance};

use super::{InFlight, InFlightLimits, Owner, Place, SPECULATIVE_READ_MAX_IN_FLIGHT, Shed};
use crate::{
    gate::{ApiKey, Environment, KeyHash},
    id::OrganizationId,
    metrics::Metrics,
};

const QUEUE: Duration = Duration::from_millis(100);

fn in_flight(all: usize, per_organization: usize) -> Arc<InFlight> {
    let limits = InFlightLimits {
        all,
        per_organization,
        queue: QUEUE,
    };
    InFlight::new(limits, Metrics::default())
}

fn key() -> KeyHash {
    ApiKey::generate(Environment::Test).hash()
}

/// A key whose organisation is known.
async fn known(in_flight: &Arc<InFlight>, last: char) -> KeyHash {
    let key = key();
    let organization = OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}"));
    let owner = Owner {
        organization: organization.unwrap(),
        key_id: "key".into(),
    };
    in_flight.learn(key, owner);
    key
}

fn enter(in_flight: &Arc<InFlight>, key: KeyHash) -> Place {
    let entered = in_flight.enter(key, None).now_or_never();
    entered.expect("no wait").expect("a place")
}

#[tokio::test(start_paused = true)]
async fn request_is_shed_when_its_time_in_the_queue_is_up() {
    let in_flight = in_flight(1, 1);
    let place = enter(&in_flight, key());
    let begun = Instant::now();
    assert_eq!(in_flight.enter(key(), None).await.unwrap_err(), Shed);
    assert_eq!(begun.elapsed(), QUEUE);
    drop(place);
    enter(&in_flight, key());
}

#[tokio::test(start_paused = true)]
async fn request_in_the_queue_takes_the_next_free_place() {
    let in_flight = in_flight(1, 1);
    let place = enter(&in_flight, key());
    let mut waiting = Box::pin(in_flight.enter(key(), None));
    assert!(poll!(&mut waiting).is_pending());
    advance(QUEUE / 2).await;
    drop(place);
    assert!(waiting.now_or_never().expect("no longer").is_ok());
}

#[tokio::test(start_paused = true)]
async fn place_that_was_granted_to_one_who_went_away_is_free() {
    let in_flight = in_flight(1, 1);
    let place = enter(&in_flight, key());
    let mut waiting = Box::pin(in_flight.enter(key(), None));
    assert!(poll!(&mut waiting).is_pending());
    drop(place);
    drop(waiting);
    enter(&in_flight, key());
}

#[tokio::test(start_paused = true)]
async fn keys_of_one_organization_share_its_places() {
    let in_flight = in_flight(10, 2);
    let (one, two) = (known(&in_flight, 'A').await, known(&in_flight, 'A').await);
    let other = known(&in_flight, 'B').await;
    let _places = (enter(&in_flight, one), enter(&in_flight, two));
    assert_eq!(in_flight.enter(one, None).await.unwrap_err(), Shed);
    enter(&in_flight, other);
}

#[tokio::test(start_paused = true)]
async fn quiet_organization_goes_before_a_noisy_one_that_waits_for_longer() {
    let in_flight = in_flight(2, 2);
    let (noisy, quiet) = (known(&in_flight, 'A').await, known(&in_flight, 'B').await);
    let places = [enter(&in_flight, noisy), enter(&in_flight, noisy)];
    let mut crowd: Vec<_> = (0..50)
        .map(|_| Box::pin(in_flight.enter(noisy, None)))
        .collect();
    for waiting in &mut crowd {
        assert!(poll!(waiting).is_pending());
    }
    let mut waiting = Box::pin(in_flight.enter(quiet, None));
    assert!(poll!(&mut waiting).is_pending());
    drop(places.into_iter().next());
    assert!(poll!(&mut waiting).is_ready());
}

#[tokio::test(start_paused = true)]
async fn made_up_keys_of_one_address_are_one_party() {
    let in_flight = in_flight(10, 2);
    let address = "192.0.2.1".parse().ok();
    let one = in_flight.enter(key(), address).await.unwrap();
    let _two = in_flight.enter(key(), address).await.unwrap();
    assert_eq!(in_flight.enter(key(), address).await.unwrap_err(), Shed);
    drop(one);
    assert!(in_flight.enter(key(), address).await.is_ok());
    assert!(
        in_flight
            .enter(key(), "192.0.2.2".parse().ok())
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn owner_is_told_while_few_are_in_flight() {
    let in_flight = in_flight(100, 100);
    let key = known(&in_flight, 'A').await;
    let mut places: Vec<Place> = (0..SPECULATIVE_READ_MAX_IN_FLIGHT)
        .map(|_| enter(&in_flight, key))
        .collect();
    let owner = in_flight
        .cached_owner_if_idle(key)
        .expect("few are in flight");
    assert!(owner.organization.as_str().ends_with('A'));
    assert_eq!(in_flight.cached_owner_if_idle(self::key()), None);
    places.push(enter(&in_flight, key));
    assert_eq!(in_flight.cached_owner_if_idle(key), None);
    places.pop();
    assert!(in_flight.cached_owner_if_idle(key).is_some());
}
