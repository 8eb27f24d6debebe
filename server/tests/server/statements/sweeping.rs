//! Remains of a crash between two steps, and how a sweep removes them. No request shows them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use payout_server::{
    id::{AssetId, OrganizationId},
    statements::{
        assets::{
            Attempt, StoreOutcome, store,
            sweep::{Sweep, Swept},
        },
        storage::AssetKey,
    },
};

use super::{download, generate};
use crate::support::{TestServer, dataset::*};

const LEFT: &str = "ast_01JV3N8Q5R0000000000000EF1";
const INTENDED: &str = "ast_01JV3N8Q5R0000000000000EF2";

async fn sweep(server: &TestServer, now: DateTime<Utc>, remove: bool) -> Swept {
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let (age, remove_many) = (Duration::from_secs(3_600), true);
    let sweep = Sweep { tenants: &tenants, storage: &storage, age, now, remove, remove_many };
    sweep.run(&[OrganizationId::parse(MAIN).unwrap()]).await.unwrap()
}

/// Later than any object that a test writes.
fn later() -> DateTime<Utc> {
    Utc::now() + TimeDelta::hours(2)
}

/// Leaves an object without a row.
async fn leave(server: &TestServer, organization: &str, id: &str) {
    let key = AssetKey::parse(&format!("{organization}/{id}.pdf")).unwrap();
    server.storage().await.put(&key, "%PDF-left".into()).await.unwrap();
}

/// Leaves objects of main without and with an intent.
async fn leave_both(server: &TestServer) {
    leave(server, MAIN, LEFT).await;
    let mut transaction = server.write(MAIN).await;
    store::insert_intent(&mut transaction, INTENDED).await.unwrap();
    transaction.commit().await.unwrap();
    leave(server, MAIN, INTENDED).await;
}

async fn objects(server: &TestServer) -> usize {
    let objects: Vec<_> = server.storage().await.list().try_collect().await.unwrap();
    objects.len()
}

#[tokio::test]
async fn sweep_removes_what_is_no_asset_and_nothing_else() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    let kept = objects(&server).await;
    leave_both(&server).await;
    leave(&server, "org_01JV3N8Q5RZZZZZZZZZZZZZZZZ", LEFT).await;
    let young = sweep(&server, Utc::now(), true).await;
    assert!(young.objects.is_empty() && young.intents.is_empty(), "{young:?}");
    server.database.advance_clock(Duration::from_secs(3_601)).await.unwrap();

    let listed = sweep(&server, later(), false).await;
    let attempts =
        |keys: &[AssetKey]| keys.iter().map(|key| key.attempt.to_string()).collect::<Vec<_>>();
    assert_eq!(attempts(&listed.objects), [LEFT]);
    assert_eq!(attempts(&listed.intents), [INTENDED]);
    // The foreign object, and the uploaded one of no_billing: this sweep is about main.
    assert_eq!(listed.foreign, 2);
    assert_eq!(objects(&server).await, kept + 3, "only listed");

    let removed = sweep(&server, later(), true).await;
    assert_eq!((&removed.objects, &removed.intents), (&listed.objects, &listed.intents));
    assert_eq!(objects(&server).await, kept + 1, "the stranger's is left alone");
    let again = sweep(&server, later(), true).await;
    assert!(again.objects.is_empty() && again.intents.is_empty(), "{again:?}");
    let after = generate(&server, ONE_LINE).await;
    assert_eq!(after.asset_id, statement.asset_id);
    download(&server, &after.url).await;
}

#[tokio::test]
async fn attempt_that_was_swept_becomes_no_asset() {
    let server = TestServer::start().await;
    leave_both(&server).await;
    server.database.advance_clock(Duration::from_secs(3_601)).await.unwrap();
    sweep(&server, later(), true).await;
    let mut transaction = server.write(MAIN).await;
    let attempt = Attempt {
        asset_id: &AssetId::parse(INTENDED).unwrap(),
        payout_id: ONE_LINE,
        filename: "statement.pdf",
        length: 9,
        sha256: &[0; 32],
        actor: "operator",
        request_id: None,
    };
    let outcome = store::finalize_uploaded(&mut transaction, &attempt).await.unwrap();
    assert_eq!(outcome, StoreOutcome::Swept);
}
