//! §2.4, §4.7, S1–S10: statements in the tables, the store and the clock, which the suite cannot
//! reach. The page's content is tested with the layout.

mod damage;
mod faults;
mod sweeping;

use std::path::PathBuf;

use crate::support::{
    TestResponse, TestServer,
    dataset::{MAIN, ONE_LINE},
    organization,
};
use payout_server::statements::upload::{self, Pdf};

pub(crate) struct Statement {
    pub(crate) asset_id: String,
    pub(crate) url: String,
    pub(crate) expires_at: String,
}

impl Statement {
    pub(crate) fn of(response: &TestResponse) -> Self {
        let text = |name: &str| response.text_at(&format!("/data/{name}")).to_owned();
        Self { asset_id: text("assetId"), url: text("downloadUrl"), expires_at: text("expiresAt") }
    }
}

async fn generate(server: &TestServer, payout: &str) -> Statement {
    Statement::of(&server.statement(payout).expect(200).await)
}

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

/// Uploads a PDF for [`ONE_LINE`]; returns the id of its asset.
async fn upload(server: &TestServer, pdf: impl Into<bytes::Bytes>) -> String {
    let organization = organization(MAIN);
    let (tenants, storage) = (server.tenants().await, server.storage().await);
    let pdf = Pdf::new(pdf.into()).unwrap();
    let asset = upload::upload(&tenants, &storage, &organization, ONE_LINE, pdf).await;
    asset.unwrap().id.to_string()
}
