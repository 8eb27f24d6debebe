//! The operation of the tag `statements`: contract types in, contract types out.

use openapi_runtime::Timestamp;

use crate::{
    app::App,
    contract::{
        traits::StatementsApi,
        types::{PayoutId, StatementEnvelope, StatementResult},
    },
    failure::Failure,
    gate::Caller,
};

impl StatementsApi for App {
    async fn generate_statement(
        &self,
        caller: Caller,
        id: PayoutId,
    ) -> Result<StatementEnvelope, Failure> {
        let (asset, link) = self.statements.generate(&self.tenants, &caller, id.as_str()).await?;
        Ok(StatementEnvelope {
            data: StatementResult {
                asset_id: asset.id.into(),
                filename: asset.filename,
                download_url: link.url.into(),
                expires_at: Timestamp::new(link.expires_at),
                is_uploaded: asset.is_uploaded,
            },
        })
    }
}
