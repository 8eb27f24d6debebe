//! The operations of the tag `payouts`: contract types in, contract types out.

use std::collections::BTreeMap;

use serde_json::Value;

use super::model;
use crate::{
    app::App,
    contract::{
        Money, Nullable, Timestamp,
        traits::PayoutsApi,
        types::{Payout, PayoutAmount, PayoutEnvelope, PayoutId, PayoutMetadata, PayoutPartner},
    },
    failure::Failure,
    gate::Caller,
};

impl PayoutsApi for App {
    async fn get_payout(&self, caller: Caller, id: PayoutId) -> Result<PayoutEnvelope, Failure> {
        let payout = self.payouts.get(caller.organization, id.as_str()).await?;
        let payout = payout.ok_or(Failure::NotFound("payout"))?;
        Ok(PayoutEnvelope { data: to_contract(payout)? })
    }
}

fn to_contract(payout: model::Payout) -> Result<Payout, Failure> {
    Ok(Payout {
        id: payout.id.into(),
        partner: PayoutPartner { id: payout.partner_id.into(), name: payout.partner_name },
        batch_id: payout.batch_id.into(),
        period_start: Timestamp::new(payout.period_start),
        period_end: Timestamp::new(payout.period_end),
        amount: PayoutAmount {
            value: Money::new(payout.amount)?,
            currency: payout.currency.into(),
        },
        stage: payout.stage.into(),
        po_number: payout.po_number.into(),
        metadata: metadata(payout.metadata)?.into(),
        created_at: Timestamp::new(payout.created_at),
        updated_at: Timestamp::new(payout.updated_at),
    })
}

/// The texts of a payout; this server always returns them (V11).
fn metadata(metadata: Option<Value>) -> Result<Nullable<PayoutMetadata>, Failure> {
    let texts: Option<BTreeMap<String, String>> =
        metadata.map(serde_json::from_value).transpose().map_err(|error| {
            Failure::Internal(format!("payouts.metadata has a value that is no text: {error}"))
        })?;
    Ok(texts.map(PayoutMetadata::from).into())
}
