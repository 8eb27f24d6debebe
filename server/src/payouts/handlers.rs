//! The operations of the tag `payouts`: contract types in, contract types out.

use std::{collections::BTreeMap, time::Duration};

use rust_decimal::Decimal;
use serde_json::{Value, json};

use openapi_runtime::{MoneySum, Nullable, Timestamp};

use super::{
    creation::store::{self as creation, Actor, NewBatch, NewPayout},
    model::{self, PayoutFilters},
    store::{self, AllBatches, GetPayoutBatch, PayoutsById},
};
use crate::{
    contract::{
        Operation,
        traits::{Api, PayoutsApi},
        types::{
            CreatePayoutBatchRequest, CreatePayoutRequest, CreatePayoutSuccess,
            ListPayoutBatchesQuery, ListPayoutsQuery, Payout, PayoutAmount, PayoutBatch,
            PayoutBatchEnvelope, PayoutBatchId, PayoutBatchList, PayoutEnvelope, PayoutId,
            PayoutList, PayoutMetadata, PayoutPartner, UpdatePayoutRequest,
        },
        value_sets::PayoutStage,
    },
    gate::Caller,
    id::{IdKind, OrganizationId},
    page::Page,
    permits::{QueueFull, Turn, Turns},
    postgres::{BatchLoader, SingleStatement as _, Tenants},
    problem::Failure,
};

pub struct Payouts {
    pub(crate) tenants: Tenants,
    pub(crate) by_id: BatchLoader<PayoutsById>,
    /// Time limit of a statement that attaches pending lines.
    pub(crate) batch_limit: Duration,
    /// Orders the requests that attach lines of an organisation's pending pool (X25). On several
    /// servers a lock in PostgreSQL orders them too.
    pub(crate) pending_pool: Turns<OrganizationId>,
}

impl<A> PayoutsApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Payouts>,
{
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
        let list = page.list(&caller.organization, filters);
        let payouts = self.as_ref().tenants.list(&list).await?;
        let (payouts, pagination) = page.cut(payouts, |payout| (payout.created_at, &payout.id));
        let data = payouts.into_iter().map(to_contract).collect::<Result<_, _>>()?;
        Ok(PayoutList { data, pagination })
    }

    async fn create_payout(
        &self,
        caller: Caller,
        body: CreatePayoutRequest,
    ) -> Result<CreatePayoutSuccess, Failure> {
        let _turn = self.as_ref().turn(&caller, body.attach_pending_lines).await?;
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        if body.attach_pending_lines {
            transaction.allow(self.as_ref().batch_limit).await?;
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
        let id = IdKind::Payout.generate();
        let new = NewPayout {
            id: &id,
            partner_id,
            batch_id,
            period_start: body.period_start.get(),
            period_end: body.period_end.get(),
            currency,
            stage: PayoutStage::Draft.as_str(),
            po_number: body.po_number.value().map(|number| number.as_str()),
            metadata: body.metadata.value().map(|metadata| json!(metadata)),
            attach_pending: body.attach_pending_lines,
        };
        creation::create_payout(&mut transaction, actor(&caller), new).await?;
        let payout = store::get_payout(&mut transaction, &id).await?.ok_or(NOT_FOUND)?;
        transaction.commit().await?;
        Ok(CreatePayoutSuccess::Created(PayoutEnvelope { data: to_contract(payout)? }))
    }

    async fn get_payout(&self, caller: Caller, id: PayoutId) -> Result<PayoutEnvelope, Failure> {
        let payout = self.as_ref().by_id.get(caller.organization, id.as_str()).await?;
        Ok(PayoutEnvelope { data: to_contract(payout.ok_or(NOT_FOUND)?)? })
    }

    async fn update_payout(
        &self,
        caller: Caller,
        id: PayoutId,
        body: UpdatePayoutRequest,
    ) -> Result<PayoutEnvelope, Failure> {
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let before = store::lock_payout(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        let after = before.changed_by(body)?;
        if after == before {
            let payout = store::get_payout(&mut transaction, id.as_str()).await?;
            return Ok(PayoutEnvelope { data: to_contract(payout.ok_or(NOT_FOUND)?)? });
        }
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
        let _turn = self.as_ref().turn(&caller, body.attach_pending_lines).await?;
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        transaction.allow(self.as_ref().batch_limit).await?;
        let id = IdKind::PayoutBatch.generate();
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
        let list = page.list(&caller.organization, AllBatches);
        let batches = self.as_ref().tenants.list(&list).await?;
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
        let batch = self.as_ref().tenants.list(&get).await?;
        Ok(PayoutBatchEnvelope { data: batch_to_contract(batch.ok_or(NO_BATCH)?)? })
    }
}

impl Payouts {
    /// Waits for the organisation's turn at its pending pool, where the request attaches pending
    /// lines. A waiting request holds no connection, because its transaction begins later.
    async fn turn(&self, caller: &Caller, attaches: bool) -> Result<Option<Turn>, Failure> {
        if attaches {
            let waiting = self.pending_pool.join(caller.organization.clone());
            let waiting = waiting.map_err(|QueueFull| Failure::queue_full("batches"))?;
            Ok(Some(waiting.turn().await))
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

/// Returns the texts of a payout; this server always returns them (V11).
fn metadata(metadata: Option<Value>) -> Result<Nullable<PayoutMetadata>, Failure> {
    let texts: Option<BTreeMap<String, String>> =
        metadata.map(serde_json::from_value).transpose().map_err(|error| {
            Failure::Internal(format!("payouts.metadata has a value that is no text: {error}"))
        })?;
    Ok(texts.map(PayoutMetadata::from).into())
}
