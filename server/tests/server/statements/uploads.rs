//! A person's own PDF (§4.7 rule 4, S8).

use payout_server::{
    id::OrganizationId,
    statements::upload::{self, Pdf},
};

use super::{Statement, download, generate};
use crate::support::{TestServer, dataset::*, operator, snapshot};

pub(super) async fn upload(
    server: &TestServer,
    payout: &str,
    pdf: impl Into<bytes::Bytes>,
) -> String {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let pdf = Pdf::new(pdf.into()).unwrap();
    let asset = upload::upload(&tenants, &storage, &organization, payout, pdf).await;
    asset.unwrap().id
}

pub(super) async fn remove(server: &TestServer, payout: &str) -> Option<String> {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let mut transaction = server.tenants().await.write(&organization).await.unwrap();
    let removed = upload::remove(&mut transaction, payout).await.unwrap();
    transaction.commit().await.unwrap();
    removed
}

#[tokio::test]
async fn uploaded_pdf_is_returned_as_it_is() {
    let server = TestServer::start().await;
    let opaque = b"%PDF-opaque \xff\x00 bytes, never parsed";
    let id = upload(&server, ONE_LINE, &opaque[..]).await;
    let statement = generate(&server, ONE_LINE).await;
    assert_eq!((statement.asset_id, statement.is_uploaded), (id, true));
    assert_eq!(download(&server, &statement.url).await, opaque);
    let response = server.statement(UPLOADED).expect(200).await;
    assert!(Statement::of(&response).is_uploaded, "the data set has one");
}

#[tokio::test]
async fn nothing_renders_over_an_uploaded_pdf() {
    let server = TestServer::start().await;
    let id = upload(&server, ONE_LINE, &b"%PDF-1"[..]).await;
    server.detach(ITS_LINE).expect(200).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, id);
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

#[tokio::test]
async fn uploaded_answer_is_as_documented() {
    let server = TestServer::start().await;
    let mut response = server.statement(UPLOADED).expect(200).await;
    let data = response.body["data"].as_object_mut().unwrap();
    for (name, mask) in [("assetId", "[asset]"), ("downloadUrl", "[link]")] {
        assert!(data[name].is_string());
        data.insert(name.into(), mask.into());
    }
    snapshot("generate_statement", "uploaded", &response);
}
