//! §2.4, §4.7, S1–S10: statements in the tables, the store and the clock, which the suite cannot
//! reach. The page's content is tested with the layout.

mod damage;
mod downloads;
mod faults;
mod generate;
mod sweeping;
mod verification;

use std::path::PathBuf;

use payout_server::{
    id::OrganizationId,
    statements::upload::{self, Pdf},
};
use serde_json::Value;

use crate::support::{
    Key, Replica, TestResponse, TestServer,
    dataset::{MAIN, ONE_LINE},
};

/// A statement as a response names it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) asset_id: String,
    pub(crate) filename: String,
    pub(crate) url: String,
    pub(crate) expires_at: String,
    pub(crate) is_uploaded: bool,
}

impl Statement {
    pub(crate) fn of(response: &TestResponse) -> Self {
        let text = |name: &str| response.text_at(&format!("/data/{name}")).to_owned();
        Self {
            asset_id: text("assetId"),
            filename: text("filename"),
            url: text("downloadUrl"),
            expires_at: text("expiresAt"),
            is_uploaded: response.body["data"]["isUploaded"] == true,
        }
    }
}

/// Generates the statement of a payout of main.
async fn generate(server: &TestServer, payout: &str) -> Statement {
    Statement::of(&server.statement(payout).expect(200).await)
}

/// Generates the statement of a payout of main so many times at once, on each server in turn.
async fn generate_at_once(
    server: &TestServer,
    replica: &Replica,
    payout: &str,
    calls: usize,
) -> Vec<Statement> {
    let calls = (0..calls).map(|number| match number % 2 {
        0 => server.statement(payout).expect(200),
        _ => replica.statement(payout).expect(200),
    });
    futures_util::future::join_all(calls).await.iter().map(Statement::of).collect()
}

/// Downloads a PDF.
async fn download(server: &TestServer, url: &str) -> Vec<u8> {
    let response = server.follow(url).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let bytes = response.bytes().await.unwrap();
    assert!(bytes.starts_with(b"%PDF-"));
    bytes.to_vec()
}

/// The file of an asset of main.
fn file(server: &TestServer, asset_id: &str) -> PathBuf {
    server.folder().join("assets").join(MAIN).join(format!("{asset_id}.pdf"))
}

/// Reads whether an asset is noted as damaged, and whether it is withdrawn.
async fn noted(server: &TestServer, asset_id: &str) -> (bool, bool) {
    let notes = "SELECT damaged_at IS NOT NULL, withdrawn_at IS NOT NULL FROM assets WHERE id = $1";
    sqlx::query_as(notes).bind(asset_id).fetch_one(&server.superuser).await.unwrap()
}

/// The number of attempts that have not ended.
async fn intents(server: &TestServer) -> i64 {
    server.value("SELECT count(*) FROM asset_intents").await
}

/// Status and `error.code` of a rejected download.
async fn rejection(server: &TestServer, url: &str) -> (u16, String) {
    let response = server.follow(url).send().await.unwrap();
    let status = response.status().as_u16();
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["cache-control"], "private, no-store");
    let body: Value = response.json().await.unwrap();
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}

/// Gives later renderings other bytes under the same fingerprint, as a release does.
async fn rename_partners(server: &TestServer) {
    server.execute("UPDATE partners SET name = 'Another'").await;
}

/// Uploads a PDF for [`ONE_LINE`]; returns the id of its asset.
async fn upload(server: &TestServer, pdf: impl Into<bytes::Bytes>) -> String {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let pdf = Pdf::new(pdf.into()).unwrap();
    let asset = upload::upload(&tenants, &storage, &organization, ONE_LINE, pdf).await;
    asset.unwrap().id.to_string()
}
