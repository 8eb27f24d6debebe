//! §2.4, §4.7, S1–S10: statements in the tables, the store and the clock, which the suite cannot
//! reach. The page's content is tested with the layout.

mod concurrency;
mod crashes;
mod damage;
mod downloads;
mod faults;
mod generate;
mod sweeping;
mod triggers;
mod uploads;
mod verification;

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{TestResponse, TestServer, dataset::MAIN};

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
        let data = &response.body["data"];
        let text = |name: &str| data[name].as_str().unwrap().to_owned();
        Self {
            asset_id: text("assetId"),
            filename: text("filename"),
            url: text("downloadUrl"),
            expires_at: text("expiresAt"),
            is_uploaded: data["isUploaded"].as_bool().unwrap(),
        }
    }
}

/// Generates the statement of a payout of main.
async fn generate(server: &TestServer, payout: &str) -> Statement {
    Statement::of(&server.statement(payout).expect(200).await)
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
    let notes = sqlx::query_as(notes).bind(asset_id);
    notes.fetch_one(&server.superuser().await).await.unwrap()
}

/// `error.code` of a rejected download.
async fn rejection(request: reqwest::RequestBuilder) -> (u16, String) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["cache-control"], "private, no-store");
    let body: Value = response.json().await.unwrap();
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}
