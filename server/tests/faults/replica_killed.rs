//! A8 when a server is killed: `kill -9` of one replica under load, repeatedly, while the other
//! continues. An unanswered request may or may not have happened; both are accounted for. No
//! partial statement is ever visible, and no acknowledged one is lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono::{TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use payout_server::{
    id::OrganizationId,
    postgres::Tenants,
    statements::{assets::sweep::Sweep, storage::AssetKey},
};
use sha2::{Digest as _, Sha256};

use crate::support::{
    Deployment, Operation, Options, Plan, Record,
    accounts::Faults,
    scale::{factor, random, report_sum},
};

/// Repetitions in the quick form.
const KILLS: u64 = 8;
/// A kill can hit any step of a request.
const LONGEST_LIFE_MICROSECONDS: u64 = 200_000;
/// Requests that a replica must complete before and after a kill.
const REQUESTS: u64 = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_replica_loses_nothing_and_the_other_continues() {
    let lines = 400 * factor();
    let flags = &["--acquire-seconds", "30"];
    let mut deployment = Deployment::start(Options { flags, lines, ..Options::default() }).await;
    let mut random = random(1_000);
    let mixed = Plan::mixed();
    // Some statements: each takes as long as a hundred other requests.
    let load = deployment.load(&Plan::of(move |random, target| match random.u8(..30) {
        0 => (random.usize(..target.organizations.len()), Operation::Statement(random.usize(..4))),
        _ => (mixed.choose)(random, target),
    }));
    let journal = load.journal.clone();
    let kills = KILLS * factor();
    for _ in 0..kills {
        journal.pass_on(0, REQUESTS).await;
        journal.pass_on(1, REQUESTS).await;
        tokio::time::sleep(Duration::from_micros(random.u64(..LONGEST_LIFE_MICROSECONDS))).await;
        let victim = random.usize(..2);
        deployment.kill(victim);
        journal.pass_on(1 - victim, REQUESTS).await;
        deployment.restart(victim).await;
    }
    let records = load.stop().await;
    report_sum("replicas killed", kills);
    let unanswered = records.iter().filter(|record| record.response.is_none()).count();
    assert!(unanswered > 0, "no kill met a request: this has shown nothing");
    deployment.check_all(&records, Faults::Replica).await;
    check_documents(&deployment, &records).await;
}

/// Each asset has its whole object, each acknowledged document is an asset, and after a sweep the
/// store holds the assets and nothing else.
async fn check_documents(deployment: &Deployment, records: &[Record]) {
    let storage = deployment.storage().await;
    let assets: Vec<(String, String, Vec<u8>)> =
        sqlx::query_as("SELECT organization_id, id, sha256 FROM payout.assets")
            .fetch_all(&deployment.superuser_pool)
            .await
            .unwrap();
    let mut keys = BTreeMap::new();
    for (organization, id, sha256) in assets {
        let key = AssetKey::parse(&format!("{organization}/{id}.pdf")).unwrap();
        let stored = storage.get(&key).await.unwrap();
        let pieces: Vec<_> = stored.body.try_collect().await.unwrap();
        assert_eq!(Sha256::digest(pieces.concat())[..], sha256, "{key}");
        keys.insert(id, key);
    }
    let documents = records.iter().filter_map(|record| record.response.as_ref());
    let documents = documents.filter_map(|response| response.body["data"]["assetId"].as_str());
    let documents: BTreeSet<&str> = documents.collect();
    report_sum("documents", documents.len());
    assert!(documents.len() > 4, "{documents:?}");
    let forgotten: Vec<_> = documents.iter().filter(|id| !keys.contains_key(**id)).collect();
    assert!(forgotten.is_empty(), "acknowledged, but lost: {forgotten:?}");

    let organizations = deployment.target.organizations.iter();
    let organizations: Vec<OrganizationId> =
        organizations.map(|it| OrganizationId::parse(&it.id).unwrap()).collect();
    let sweep = Sweep {
        tenants: &Tenants::from(&deployment.app_pool().await),
        storage: &storage,
        age: Duration::ZERO,
        now: Utc::now() + TimeDelta::seconds(1),
        remove: true,
        remove_many: true,
    };
    deployment.set_clock("2026-06-15T12:00:01.000Z").await;
    let swept = sweep.run(&organizations).await.unwrap();
    let objects: Vec<_> = storage.list().try_collect().await.unwrap();
    let objects: BTreeSet<AssetKey> = objects.into_iter().map(|object| object.key).collect();
    let kept: BTreeSet<AssetKey> = keys.into_values().collect();
    assert_eq!(objects, kept, "{swept:?}");
    let left = "SELECT count(*) FROM payout.asset_intents";
    let left: i64 = sqlx::query_scalar(left).fetch_one(&deployment.superuser_pool).await.unwrap();
    assert_eq!(left, 0, "{swept:?}");
}
