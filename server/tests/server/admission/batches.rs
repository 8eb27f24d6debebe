//! Batched admission and the reference model on one history with a fixed seed and a fixed clock.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use payout_server::{
    contract::types::Scope,
    gate::{
        ApiKey, Environment, KeyHash,
        admission::{AdmissionOptions, AdmissionRequest, BatchedAdmission, Outcome, Verdict},
    },
    telemetry::Telemetry,
};

use super::reference::{Decision, ReferenceAdmission, charge_of};
use crate::support::{Key, TestServer, dataset::*, organization};

/// Both ways to admit, on one database.
struct Gates {
    server: TestServer,
    reference: ReferenceAdmission,
    batched: BatchedAdmission,
}

impl Gates {
    async fn open() -> Self {
        let server = TestServer::start().await;
        let connect = payout_database::app_connect_options(server.database.app_url()).unwrap();
        // Of two lanes the later batch may come first, and the orders of requests would differ.
        let options = AdmissionOptions { lanes: 1, ..server.options().admission() };
        Self {
            reference: ReferenceAdmission(server.superuser.clone()),
            batched: BatchedAdmission::start(&connect, options, &Telemetry::default()),
            server,
        }
    }

    async fn limit(&self, requests_per_minute: i32, credits: Option<i64>) {
        for organization in [MAIN, OTHER] {
            self.server.set_limits(organization, requests_per_minute, credits).await;
        }
    }

    fn key(&self, key: Key) -> KeyHash {
        let key = ApiKey::parse(self.server.key(key), Environment::Test);
        key.expect("a key of the data set").hash()
    }

    async fn in_batch(&self, request: AdmissionRequest) -> Verdict {
        let admitted = self.batched.admit(request).await.unwrap();
        admitted.durability.wait().await.unwrap();
        admitted.verdict
    }
}

fn request(key: KeyHash, scope: Scope, is_well_formed: bool) -> AdmissionRequest {
    AdmissionRequest { key, scope, is_well_formed }
}

#[tokio::test]
async fn batches_decide_the_same_history_as_the_reference_model() {
    let gates = Gates::open().await;
    gates.limit(7, Some(11)).await;
    let (of_reference, of_batched) = (gates.key(Key::MAIN), gates.key(Key::OTHER));
    let unknown = ApiKey::generate(Environment::Test).hash();
    let mut random = fastrand::Rng::with_seed(4);
    let mut now: DateTime<Utc> = "2026-06-30T23:57:00Z".parse().unwrap();
    let mut seen = BTreeSet::new();
    let mut charges = Vec::new();
    let mut steps_back = 0;
    for step in 0..400 {
        match random.u8(..24) {
            0 => {
                now += chrono::TimeDelta::milliseconds(random.i64(0..70_000));
                let clock = now.to_rfc3339();
                gates.server.database.set_clock(&clock).await.unwrap();
            }
            1 => {
                let credits = (random.u8(..3) > 0).then(|| random.i64(0..20));
                let requests = random.i32(1..10);
                gates.limit(requests, credits).await;
            }
            23 => {
                now -= chrono::TimeDelta::minutes(random.i64(0..4));
                gates.server.database.set_clock(&now.to_rfc3339()).await.unwrap();
                steps_back += 1;
            }
            2 => {
                if let Some((month, charge)) = charges.pop() {
                    let other = organization(OTHER);
                    gates.reference.refund(MAIN, month).await;
                    gates.batched.refund(&other, charge).await.unwrap();
                }
            }
            choice => {
                let scope = [Scope::PartnersRead, Scope::AffiliateWrite][usize::from(choice == 3)];
                let is_sound = choice != 4;
                let is_known = choice != 5;
                let of = |key| request(if is_known { key } else { unknown }, scope, is_sound);
                let expected = gates.reference.admit(of(of_reference)).await;
                let verdict = gates.in_batch(of(of_batched)).await;
                assert_eq!(Decision::of(&verdict), expected, "step {step} at {now}");
                charges.extend(expected.charged.zip(charge_of(&verdict)));
                seen.insert(expected.outcome);
            }
        }
    }
    let all = ["admitted", "credits exhausted", "invalid request", "rate limited", "unknown key"];
    for outcome in all {
        assert!(seen.contains(outcome), "{outcome} never happened: {seen:?}");
    }
    assert!(steps_back > 10, "{steps_back}");
    assert_eq!(gates.server.meter(MAIN).await, gates.server.meter(OTHER).await);
}

#[tokio::test]
async fn batch_spends_what_the_reference_model_spends() {
    let gates = Gates::open().await;
    gates.limit(30, Some(10)).await;
    let requests = |key: KeyHash| {
        let sound = (0..25).map(move |_| request(key, Scope::PartnersRead, true));
        sound.chain((0..15).map(move |_| request(key, Scope::PartnersRead, false)))
    };
    let mut expected = Vec::new();
    for request in requests(gates.key(Key::MAIN)) {
        expected.push(gates.reference.admit(request).await);
    }
    let together = requests(gates.key(Key::OTHER)).map(|request| gates.in_batch(request));
    let together = join_all(together).await.iter().map(Decision::of).collect();
    assert_eq!(spent(together), spent(expected));
}

/// The decisions, without the places in the minute of those rejected, and all places. On a slow
/// machine the batch does not wait for the first request, which is decided alone, perhaps last;
/// then another of the rejected has its place.
fn spent(mut decisions: Vec<Decision>) -> (Vec<Decision>, Vec<(i64, i64)>) {
    let mut rates: Vec<_> = decisions.iter().map(|decision| decision.rate).collect();
    rates.sort_unstable();
    for decision in decisions.iter_mut().filter(|decision| decision.outcome != "admitted") {
        decision.rate = (0, 0);
    }
    decisions.sort_unstable();
    (decisions, rates)
}

#[tokio::test]
async fn many_organisations_in_one_batch_do_not_spend_each_others_credits() {
    let gates = Gates::open().await;
    gates.server.set_limits(MAIN, 100, Some(3)).await;
    gates.server.set_limits(OTHER, 4, Some(100)).await;
    let (main, other) = (gates.key(Key::MAIN), gates.key(Key::OTHER));
    let admitted = (0..12).map(|number| {
        let key = if number % 2 == 0 { main } else { other };
        gates.in_batch(request(key, Scope::PartnersRead, true))
    });
    let verdicts = join_all(admitted).await;
    let outcomes = |organization: &str| {
        let of = |verdict: &Verdict| match verdict {
            Verdict::ValidKey(admission) if admission.organization.as_str() == organization => {
                Some(matches!(admission.outcome, Outcome::Admitted(_)))
            }
            _ => None,
        };
        let outcomes: Vec<bool> = verdicts.iter().filter_map(of).collect();
        (outcomes.len(), outcomes.iter().filter(|passed| **passed).count())
    };
    assert_eq!(outcomes(MAIN), (6, 3));
    assert_eq!(outcomes(OTHER), (6, 4));
}
