//! The operations of the tag `commission-lines`: contract types in, contract types out.

use serde_json::json;

use openapi_runtime::{Money, RequestTimestamp, Timestamp};

use super::{
    change::{
        LockedLine, LockedPayout, Release,
        store::{attach_line, lock_line, release_line, update_line},
    },
    creation::{self, NewLine, store::CreateLine},
    model::{self, LineFilters},
    store::LinesById,
};
use crate::{
    contract::{
        Operation,
        traits::{Api, CommissionLinesApi},
        types::{
            AttachCommissionLineRequest, CommissionLine, CommissionLineEnvelope, CommissionLineId,
            CommissionLineList, CommissionLineStatus, CreateCommissionLineRequest,
            CreateCommissionLineSuccess, DeclineCommissionLineRequest, ListCommissionLinesQuery,
            UpdateCommissionLineRequest,
        },
    },
    gate::Caller,
    id::IdKind,
    page::Page,
    postgres::{BatchLoader, TenantTransaction, Tenants},
    problem::Failure,
};

pub struct CommissionLines {
    pub(crate) tenants: Tenants,
    pub(crate) by_id: BatchLoader<LinesById>,
}

impl<A> CommissionLinesApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<CommissionLines>,
{
    async fn list_commission_lines(
        &self,
        caller: Caller,
        query: ListCommissionLinesQuery,
    ) -> Result<CommissionLineList, Failure> {
        let filters = query.filters();
        let page = Page::of(Operation::ListCommissionLines, &filters, query.limit, query.cursor);
        let filters = LineFilters {
            partner_id: query.partner_id.as_ref().map(|id| id.as_str()),
            payout_id: query.payout_id.as_ref().map(|id| id.as_str()),
            status: query.status.map(|status| status.as_str()),
        };
        let list = page.list(&caller.organization, filters);
        let lines = self.as_ref().tenants.list(&list).await?;
        let (lines, pagination) = page.cut(lines, |line| (line.created_at, &line.id));
        let data = lines
            .into_iter()
            .map(|line| Ok(to_contract(line)?.into()))
            .collect::<Result<_, Failure>>()?;
        Ok(CommissionLineList { data, pagination })
    }

    /// If a line has the idempotency key already, returns that line, whatever else the body says.
    async fn create_commission_line(
        &self,
        caller: Caller,
        body: CreateCommissionLineRequest,
    ) -> Result<CreateCommissionLineSuccess, Failure> {
        let new = new_line(body);
        let create = CreateLine { caller: &caller, new: &new };
        loop {
            if let Some(line) = caller.run(&self.as_ref().tenants, &create).await? {
                return Ok(CreateCommissionLineSuccess::Created(envelope(line)?));
            }
            let mut transaction = caller.write(&self.as_ref().tenants).await?;
            if let Some(key) = &new.idempotency_key {
                let known = creation::store::line_of_idempotency_key(&mut transaction, key).await?;
                if let Some(line) = known {
                    return Ok(CreateCommissionLineSuccess::Ok(envelope(line)?));
                }
            }
            let named = creation::store::find_named(&mut transaction, &new).await?;
            // What was missing, or forbade the line, has changed since: the next attempt sees it.
            new.check(&named)?;
        }
    }

    async fn get_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let line = self.as_ref().by_id.get(caller.organization, id.as_str()).await?;
        envelope(line.ok_or(NOT_FOUND)?)
    }

    async fn update_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
        body: UpdateCommissionLineRequest,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let locked = lock_line(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        let Some(after) = locked.changed_by(body)? else {
            let line = self.as_ref().by_id.get(caller.organization, &locked.id).await?;
            return envelope(line.ok_or(NOT_FOUND)?);
        };
        let updated = update_line(&mut transaction, &caller, &locked, &after).await?;
        transaction.commit().await?;
        envelope(updated)
    }

    async fn decline_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
        body: DeclineCommissionLineRequest,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let locked = lock_line(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        let payout = locked.attached_to("declined")?;
        payout.check_unlocked("declined")?;
        let note = body.note.map(|note| note.into_string());
        let how = Release {
            action: "decline_commission_line",
            status: CommissionLineStatus::Voided,
            reason: json!({ "reason": body.reason, "note": note }),
            declines_empty_payout: payout.may_be_declined(),
        };
        release(transaction, &caller, &locked, payout, how).await
    }

    async fn attach_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
        body: AttachCommissionLineRequest,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let payout_id = body.payout_id.as_str();
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let locked = lock_line(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        loop {
            // A line locks one payout: two that change places would wait for each other.
            if locked.payout.is_none()
                && let Some(line) =
                    attach_line(&mut transaction, &caller, &locked, payout_id).await?
            {
                transaction.commit().await?;
                return envelope(line);
            }
            let payout = creation::store::find_payout(&mut transaction, payout_id).await?;
            // Where the line can be attached, the payout has changed since: the next attempt sees
            // it.
            if !locked.check_attach(payout_id, payout.as_ref())? {
                let line = self.as_ref().by_id.get(caller.organization, &locked.id).await?;
                return envelope(line.ok_or(NOT_FOUND)?);
            }
        }
    }

    /// The payout may be in any stage (R11).
    async fn detach_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let locked = lock_line(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        let payout = locked.attached_to("detached")?;
        let how = Release {
            action: "detach_commission_line",
            status: CommissionLineStatus::Pending,
            reason: json!({}),
            declines_empty_payout: false,
        };
        release(transaction, &caller, &locked, payout, how).await
    }
}

const NOT_FOUND: Failure = Failure::NotFound("commission line");

async fn release(
    mut transaction: TenantTransaction,
    caller: &Caller,
    line: &LockedLine,
    payout: &LockedPayout,
    how: Release,
) -> Result<CommissionLineEnvelope, Failure> {
    let released = release_line(&mut transaction, caller, line, payout, how).await?;
    transaction.commit().await?;
    envelope(released)
}

fn new_line(body: CreateCommissionLineRequest) -> NewLine {
    NewLine {
        id: IdKind::CommissionLine.generate(),
        partner_id: body.partner_id.into_string(),
        payout_id: body.payout_id.map(|id| id.into_string()),
        description: body.description.into_string(),
        amount: body.amount.get(),
        source_amount: body.source_amount.get(),
        currency: body.currency.into_string(),
        plan_name: body.plan_name.into_string(),
        period_end: body.period_end.map(RequestTimestamp::get),
        idempotency_key: body.idempotency_key.map(|key| key.into_string()),
    }
}

fn envelope(line: model::CommissionLine) -> Result<CommissionLineEnvelope, Failure> {
    Ok(CommissionLineEnvelope { data: to_contract(line)? })
}

fn to_contract(line: model::CommissionLine) -> Result<CommissionLine, Failure> {
    Ok(CommissionLine {
        id: line.id.into(),
        partner_id: line.partner_id.into(),
        payout_id: line.payout_id.map(Into::into).into(),
        description: line.description,
        amount: Money::new(line.amount)?,
        source_amount: Money::new(line.source_amount)?,
        currency: line.currency.into(),
        status: CommissionLineStatus::parse(&line.status)?,
        plan_name: line.plan_name,
        period_end: Timestamp::new(line.period_end),
        idempotency_key: line.idempotency_key.into(),
        created_at: Timestamp::new(line.created_at),
        updated_at: Timestamp::new(line.updated_at),
    })
}
