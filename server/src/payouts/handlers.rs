//! The operations of the tag `payouts`: contract types in, contract types out.

use std::collections::BTreeMap;

use poem_openapi::types::MaybeUndefined;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use openapi_runtime::{MoneySum, Nullable, Timestamp};

use super::{
    change::PayoutChange,
    creation::store::{self as creation, Actor, NewBatch, NewPayout},
    model::{self, PayoutFilters},
    pending_pool::Turn,
    store::{self, GetPayoutBatch, ListPayoutBatches, ListPayouts},
};
use crate::{
    app::App,
    contract::{
        Operation,
        traits::PayoutsApi,
        types::{
            CreatePayoutBatchRequest, CreatePayoutRequest, CreatePayoutSuccess,
            ListPayoutBatchesQuery, ListPayoutsQuery, Metadata, Payout, PayoutAmount, PayoutBatch,
            PayoutBatchEnvelope, PayoutBatchId, PayoutBatchList, PayoutEnvelope, PayoutId,
            PayoutList, PayoutMetadata, PayoutPartner, UpdatePayoutRequest,
        },
        value_sets::PayoutStage,
    },
    failure::Failure,
    gate::Caller,
    id::Kind,
    page::Page,
    postgres::SingleStatement as _,
};

impl PayoutsApi for App {
    async fn list_payouts(
        &self,
        caller: Caller,
        query: ListPayoutsQuery,
    ) -> Result<PayoutList, Failure> {
        let filters = query.filters();
        let page = Page::of(Operation::ListPayouts, &filters, query.limit, query.cursor);
        let filters = PayoutFilters {
            partner_id: query.partner_id.as_ref().map(|id| id.as_str()),
            batch_id: query.batch_id.as_ref().map(|id| id.as_str()),
            stage: query.stage.as_ref().map(|stage| stage.as_str()),
        };
        let list = ListPayouts {
            organization: &caller.organization,
            filters,
            position: &page.position,
            limit: page.rows(),
        };
        let payouts = self.tenants.list(&list).await?;
        let (payouts, pagination) = page.cut(payouts, |payout| (payout.created_at, &payout.id));
        let data = payouts.into_iter().map(to_contract).collect::<Result<_, _>>()?;
        Ok(PayoutList { data, pagination })
    }

    async fn create_payout(
        &self,
        caller: Caller,
        body: CreatePayoutRequest,
    ) -> Result<CreatePayoutSuccess, Failure> {
        let _turn = self.turn(&caller, body.attach_pending_lines).await?;
        let mut transaction = self.write(&caller).await?;
        if body.attach_pending_lines {
            transaction.allow(self.batch_limit).await?;
        }
        let (partner_id, currency) = (body.partner_id.as_str(), body.currency.as_str());
        let batch_id = body.batch_id.as_ref().map(|id| id.as_str());
        let found = creation::lock_references(&mut transaction, partner_id, batch_id).await?;
        Failure::unless_found(found)?;
        if let Some(batch_id) = batch_id {
            let existing =
                creation::payout_in_batch(&mut transaction, batch_id, partner_id, currency).await?;
            if let Some(id) = existing {
                let payout = store::get_payout(&mut transaction, &id).await?.ok_or(NOT_FOUND)?;
                return Ok(CreatePayoutSuccess::Ok(PayoutEnvelope { data: to_contract(payout)? }));
            }
        }
        let id = Kind::Payout.generate();
        let new = NewPayout {
            id: &id,
            partner_id,
            batch_id,
            period_start: body.period_start.get(),
            period_end: body.period_end.get(),
            currency,
            stage: PayoutStage::Draft.as_str(),
            po_number: body.po_number.value().map(|number| number.as_str()),
            metadata: body.metadata.value().map(texts),
            attach_pending: body.attach_pending_lines,
        };
        creation::create_payout(&mut transaction, actor(&caller), new).await?;
        let payout = store::get_payout(&mut transaction, &id).await?.ok_or(NOT_FOUND)?;
        transaction.commit().await?;
        Ok(CreatePayoutSuccess::Created(PayoutEnvelope { data: to_contract(payout)? }))
    }

    async fn get_payout(&self, caller: Caller, id: PayoutId) -> Result<PayoutEnvelope, Failure> {
        let payout = self.payouts.get(caller.organization, id.as_str()).await?;
        Ok(PayoutEnvelope { data: to_contract(payout.ok_or(NOT_FOUND)?)? })
    }

    async fn update_payout(
        &self,
        caller: Caller,
        id: PayoutId,
        body: UpdatePayoutRequest,
    ) -> Result<PayoutEnvelope, Failure> {
        let change = change(body);
        let mut transaction = self.write(&caller).await?;
        let before = store::lock_payout(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        let after = change.apply(&before)?.map_err(Failure::InvalidStageTransition)?;
        let Some(after) = after else {
            let payout = store::get_payout(&mut transaction, id.as_str()).await?;
            return Ok(PayoutEnvelope { data: to_contract(payout.ok_or(NOT_FOUND)?)? });
        };
        let by = (actor(&caller), "update_payout");
        let updated =
            store::update_payout(&mut transaction, by, id.as_str(), &before, &after).await?;
        transaction.commit().await?;
        Ok(PayoutEnvelope { data: to_contract(updated)? })
    }

    async fn create_payout_batch(
        &self,
        caller: Caller,
        body: CreatePayoutBatchRequest,
    ) -> Result<PayoutBatchEnvelope, Failure> {
        let _turn = self.turn(&caller, body.attach_pending_lines).await?;
        let mut transaction = self.write(&caller).await?;
        transaction.allow(self.batch_limit).await?;
        let id = Kind::PayoutBatch.generate();
        let new = NewBatch {
            id: &id,
            period_start: body.period_start.get(),
            period_end: body.period_end.get(),
            attach_pending: body.attach_pending_lines,
        };
        creation::create_payout_batch(&mut transaction, actor(&caller), new).await?;
        let get = GetPayoutBatch { organization: &caller.organization, id: &id };
        let batch = get.run(&mut transaction).await?.ok_or(NO_BATCH)?;
        transaction.commit().await?;
        Ok(PayoutBatchEnvelope { data: batch_to_contract(batch)? })
    }

    async fn list_payout_batches(
        &self,
        caller: Caller,
        query: ListPayoutBatchesQuery,
    ) -> Result<PayoutBatchList, Failure> {
        let page = Page::of(Operation::ListPayoutBatches, &[], query.limit, query.cursor);
        let list = ListPayoutBatches {
            organization: &caller.organization,
            position: &page.position,
            limit: page.rows(),
        };
        let batches = self.tenants.list(&list).await?;
        let (batches, pagination) = page.cut(batches, |batch| (batch.created_at, &batch.id));
        let data = batches.into_iter().map(batch_to_contract).collect::<Result<_, _>>()?;
        Ok(PayoutBatchList { data, pagination })
    }

    async fn get_payout_batch(
        &self,
        caller: Caller,
        id: PayoutBatchId,
    ) -> Result<PayoutBatchEnvelope, Failure> {
        let get = GetPayoutBatch { organization: &caller.organization, id: id.as_str() };
        let batch = self.tenants.list(&get).await?;
        Ok(PayoutBatchEnvelope { data: batch_to_contract(batch.ok_or(NO_BATCH)?)? })
    }
}

impl App {
    /// Waits for the organisation's turn at its pending pool, where the request attaches pending
    /// lines. A waiting request holds no connection, because its transaction begins later.
    async fn turn(&self, caller: &Caller, attaches: bool) -> Result<Option<Turn>, Failure> {
        if attaches {
            self.pending_pool.turn(&caller.organization).await.map(Some)
        } else {
            Ok(None)
        }
    }
}

const NOT_FOUND: Failure = Failure::NotFound("payout");
const NO_BATCH: Failure = Failure::NotFound("batch of payouts");

fn actor(caller: &Caller) -> Actor<'_> {
    Actor { id: &caller.key_id, request_id: Some(&caller.request_id) }
}

fn change(body: UpdatePayoutRequest) -> PayoutChange {
    PayoutChange {
        stage: body.stage.map(|stage| stage.into_string()),
        po_number: named(body.po_number).map(|number| number.map(|number| number.into_string())),
        metadata: named(body.metadata).map(|metadata| metadata.as_ref().map(texts)),
    }
}

/// A field that the body names; `Some(None)` clears it.
fn named<T>(field: MaybeUndefined<T>) -> Option<Option<T>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(value) => Some(Some(value)),
    }
}

fn texts(metadata: &Metadata) -> Value {
    json!(metadata)
}

fn to_contract(payout: model::Payout) -> Result<Payout, Failure> {
    Ok(Payout {
        id: payout.id.into(),
        partner: PayoutPartner { id: payout.partner_id.into(), name: payout.partner_name },
        batch_id: payout.batch_id.into(),
        period_start: Timestamp::new(payout.period_start),
        period_end: Timestamp::new(payout.period_end),
        amount: amount(payout.amount, payout.currency)?,
        stage: payout.stage.into(),
        po_number: payout.po_number.into(),
        metadata: metadata(payout.metadata)?.into(),
        created_at: Timestamp::new(payout.created_at),
        updated_at: Timestamp::new(payout.updated_at),
    })
}

fn batch_to_contract(batch: model::PayoutBatch) -> Result<PayoutBatch, Failure> {
    let totals = batch.sums.into_iter().zip(batch.currencies);
    Ok(PayoutBatch {
        id: batch.id.into(),
        period_start: Timestamp::new(batch.period_start),
        period_end: Timestamp::new(batch.period_end),
        payout_count: batch.payout_count,
        line_count: batch.line_count,
        totals: totals.map(|(sum, currency)| amount(sum, currency)).collect::<Result<_, _>>()?,
        created_at: Timestamp::new(batch.created_at),
    })
}

fn amount(sum: Decimal, currency: String) -> Result<PayoutAmount, Failure> {
    Ok(PayoutAmount { value: MoneySum::new(sum)?, currency: currency.into() })
}

/// The texts of a payout; this server always returns them (V11).
fn metadata(metadata: Option<Value>) -> Result<Nullable<PayoutMetadata>, Failure> {
    let texts: Option<BTreeMap<String, String>> =
        metadata.map(serde_json::from_value).transpose().map_err(|error| {
            Failure::Internal(format!("payouts.metadata has a value that is no text: {error}"))
        })?;
    Ok(texts.map(PayoutMetadata::from).into())
}
