//! The operation of the tag `statements`: contract types in, contract types out.
//!
//! It refuses rules and SQL: those stand in the steps of [`generate`](super::generate) and the stores.

use crate::{
    app::App,
    contract::{
        Timestamp,
        traits::StatementsApi,
        types::{PayoutId, StatementEnvelope, StatementResult},
    },
    failure::Failure,
    gate::Caller,
    mutants::{self, Mutant},
};

impl StatementsApi for App {
    async fn generate_statement(
        &self,
        caller: Caller,
        id: PayoutId,
    ) -> Result<StatementEnvelope, Failure> {
        let statements = &self.statements;
        let generated = statements
            .generate(&self.tenants, &caller, id.as_str())
            .await;
        #[cfg(feature = "mutants")]
        let generated = match generated {
            Ok(generated) => Ok(generated),
            Err(failure) => {
                let own = &caller.organization;
                Err(mutants::tenancy::statement_failure(self, own, id.as_str(), failure).await)
            }
        };
        let (asset, link) = generated?;
        #[cfg(feature = "mutants")]
        if mutants::is(Mutant::StageMoved) {
            let mut transaction = self.tenants.write(&caller.organization).await?;
            super::store::move_stage(&mut transaction, id.as_str()).await?;
            transaction.commit().await?;
        }
        #[cfg(feature = "mutants")]
        let link = mutants::statements::told(link);
        Ok(StatementEnvelope {
            data: StatementResult {
                asset_id: asset.id.into(),
                filename: asset.filename,
                download_url: link.url.into(),
                expires_at: Timestamp::new(link.expires_at),
                is_uploaded: asset.is_uploaded && !mutants::is(Mutant::UploadNotTold),
            },
        })
    }
}
