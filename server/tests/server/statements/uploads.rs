//! PDFs that a person uploads (§4.7 rule 4, S8): uploads at once, and their rows in the tables,
//! which the suite cannot see.

use payout_server::{
    id::OrganizationId,
    statements::upload::{self, Pdf},
};

use super::{download, generate};
use crate::support::{TestServer, dataset::*, operator};

pub(super) async fn upload(
    server: &TestServer,
    payout: &str,
    pdf: impl Into<bytes::Bytes>,
) -> String {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let pdf = Pdf::new(pdf.into()).unwrap();
    let asset = upload::upload(&tenants, &storage, &organization, payout, pdf).await;
    asset.unwrap().id.to_string()
}

pub(super) async fn remove(server: &TestServer, payout: &str) -> Option<String> {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let mut transaction = server.tenants().await.write(&organization).await.unwrap();
    let removed = upload::remove(&mut transaction, payout).await.unwrap();
    transaction.commit().await.unwrap();
    removed
}

#[tokio::test]
async fn second_upload_supersedes_the_first_which_is_kept() {
    let server = TestServer::start().await;
    let rendered = generate(&server, ONE_LINE).await;
    let first = upload(&server, ONE_LINE, &b"%PDF-first"[..]).await;
    let link_to_first = generate(&server, ONE_LINE).await.url;
    let second = upload(&server, ONE_LINE, &b"%PDF-second"[..]).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, second);
    assert_eq!(download(&server, &link_to_first).await, b"%PDF-first");
    assert_eq!(remove(&server, ONE_LINE).await, Some(second.clone()));
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, rendered.asset_id);
    assert_eq!(remove(&server, ONE_LINE).await, None);
    let superuser_pool = server.superuser().await;
    let rows = operator::history(&superuser_pool, ONE_LINE).await;
    let seen: Vec<_> = rows
        .iter()
        .map(|row| {
            let id = |value: &Option<serde_json::Value>| {
                value.as_ref().map(|value| value["assetId"].as_str().unwrap().to_owned())
            };
            (row.action.as_str(), id(&row.before), id(&row.after))
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("generate_statement", None, Some(rendered.asset_id)),
            ("upload_statement", None, Some(first.clone())),
            ("upload_statement", Some(first), Some(second.clone())),
            ("remove_uploaded_statement", Some(second), None),
        ]
    );
}

#[tokio::test]
async fn uploads_at_once_leave_one_that_holds() {
    let server = TestServer::start().await;
    let uploads = (0..8).map(|_| upload(&server, ONE_LINE, &b"%PDF-one of many"[..]));
    let ids = futures_util::future::join_all(uploads).await;
    let statement = generate(&server, ONE_LINE).await;
    assert!(ids.contains(&statement.asset_id));
    let superuser_pool = server.superuser().await;
    let (all, active): (i64, i64) = sqlx::query_as(
        "SELECT count(*), count(*) FILTER (WHERE withdrawn_at IS NULL) FROM assets
           WHERE payout_id = $1",
    )
    .bind(ONE_LINE)
    .fetch_one(&superuser_pool)
    .await
    .unwrap();
    assert_eq!((all, active), (8, 1));
}
