//! An attempt of a statement whose remains were swept. `sessions/sweep.session` has the sweep; no
//! request meets it in the middle of an attempt.

use payout_server::{
    id::AssetId,
    statements::assets::{Attempt, StoreOutcome, store},
};

use crate::support::{TestServer, dataset::*};

#[tokio::test]
async fn attempt_that_was_swept_becomes_no_asset() {
    let server = TestServer::start().await;
    let mut transaction = server.write(MAIN).await;
    let attempt = Attempt {
        asset_id: &AssetId::parse("ast_01JV3N8Q5R0000000000000EF2").unwrap(),
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
