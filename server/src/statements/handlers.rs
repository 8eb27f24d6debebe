//! The operation of the tag `statements`: contract types in, contract types out.

use std::sync::Arc;

use openapi_runtime::Timestamp;

use super::Statements;
use crate::{
    contract::{
        traits::{Api, StatementsApi},
        types::{PayoutId, StatementEnvelope, StatementResult},
    },
    gate::Caller,
    problem::Failure,
};

impl<A> StatementsApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Arc<Statements>>,
{
    async fn generate_statement(
        &self,
        caller: Caller,
        id: PayoutId,
    ) -> Result<StatementEnvelope, Failure> {
        let (asset, link) = self.as_ref().generate(&caller, id.as_str()).await?;
        Ok(StatementEnvelope {
            data: StatementResult {
                asset_id: asset.id.to_string().into(),
                filename: asset.filename,
                download_url: link.url.into(),
                expires_at: Timestamp::new(link.expires_at),
                is_uploaded: asset.is_uploaded,
            },
        })
    }
}
