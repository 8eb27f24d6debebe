//! Remains of a crash between two steps, and how a sweep removes them. No request shows them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use payout_server::{
    id::{AssetId, OrganizationId},
    statements::{
        assets::{
            store,
            sweep::{Sweep, Swept},
        },
        storage::AssetKey,
    },
};

use super::{download, generate};
use crate::support::{TestServer, dataset::*};

const LEFT: &str = "ast_01JV3N8Q5R0000000000000EF1";

async fn sweep(server: &TestServer, now: DateTime<Utc>, remove: bool) -> Swept {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let sweep = Sweep {
        tenants: &tenants,
        storage: &storage,
        age: Duration::from_secs(3_600),
        now,
        remove,
        remove_many: true,
    };
    sweep.run(&[organization]).await.unwrap()
}

/// Later than any object that this test writes.
fn later() -> DateTime<Utc> {
    Utc::now() + TimeDelta::hours(2)
}

async fn leave(server: &TestServer, organization: &str, id: &str, with_intent: bool) {
    if with_intent {
        let organization = OrganizationId::parse(organization).unwrap();
        let mut transaction = server.tenants().await.write(&organization).await.unwrap();
        store::insert_intent(&mut transaction, id).await.unwrap();
        transaction.commit().await.unwrap();
    }
    let key = AssetKey::parse(&format!("{organization}/{id}.pdf")).unwrap();
    server.storage().await.put(&key, "%PDF-left".into()).await.unwrap();
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
    leave(&server, MAIN, LEFT, false).await;
    leave(&server, MAIN, "ast_01JV3N8Q5R0000000000000EF2", true).await;
    leave(&server, "org_01JV3N8Q5RZZZZZZZZZZZZZZZZ", LEFT, false).await;
    server.database.advance_clock(Duration::from_secs(3_601)).await.unwrap();

    let listed = sweep(&server, later(), false).await;
    let attempts = |keys: &[AssetKey]| -> Vec<String> {
        keys.iter().map(|key| key.attempt.to_string()).collect()
    };
    assert_eq!(attempts(&listed.objects), [LEFT]);
    assert_eq!(attempts(&listed.intents), ["ast_01JV3N8Q5R0000000000000EF2"]);
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
async fn sweep_leaves_what_is_young() {
    let server = TestServer::start().await;
    leave(&server, MAIN, LEFT, false).await;
    leave(&server, MAIN, "ast_01JV3N8Q5R0000000000000EF2", true).await;
    let swept = sweep(&server, Utc::now(), true).await;
    assert!(swept.objects.is_empty() && swept.intents.is_empty(), "{swept:?}");
}

#[tokio::test]
async fn attempt_that_was_swept_becomes_no_asset() {
    let server = TestServer::start().await;
    let organization = OrganizationId::parse(MAIN).unwrap();
    leave(&server, MAIN, LEFT, true).await;
    server.database.advance_clock(Duration::from_secs(3_601)).await.unwrap();
    sweep(&server, later(), true).await;
    let mut transaction = server.tenants().await.write(&organization).await.unwrap();
    let attempt = payout_server::statements::assets::Attempt {
        asset_id: &AssetId::parse(LEFT).unwrap(),
        payout_id: ONE_LINE,
        filename: "statement.pdf",
        length: 9,
        sha256: &[0; 32],
        actor: "operator",
        request_id: None,
    };
    let outcome = store::finalize_uploaded(&mut transaction, &attempt).await.unwrap();
    assert_eq!(outcome, payout_server::statements::assets::StoreOutcome::Swept);
}
