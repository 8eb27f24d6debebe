//! The operations of the tag `commission-lines`: contract types in, contract types out.

use super::{
    model::{self, LineFilters},
    store::{self, Detachment, ListCommissionLines},
};
use crate::{
    app::App,
    contract::{
        Money, Operation, Timestamp,
        traits::CommissionLinesApi,
        types::{
            CommissionLine, CommissionLineEnvelope, CommissionLineId, CommissionLineList,
            CommissionLineStatus, ListCommissionLinesQuery,
        },
    },
    failure::Failure,
    gate::Caller,
    page::Page,
};

impl CommissionLinesApi for App {
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
        let list = ListCommissionLines {
            organization: &caller.organization,
            filters,
            position: &page.position,
            limit: page.rows(),
        };
        let lines = self.tenants.list(&list).await?;
        let (lines, pagination) = page.cut(lines, |line| (line.created_at, &line.id));
        let data = lines
            .into_iter()
            .map(|line| Ok(to_contract(line)?.into()))
            .collect::<Result<_, Failure>>()?;
        Ok(CommissionLineList { data, pagination })
    }

    async fn detach_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
    ) -> Result<CommissionLineEnvelope, Failure> {
        let mut transaction = self.tenants.write(&caller.organization).await?;
        match store::detach_commission_line(&mut transaction, &caller, id.as_str()).await? {
            Detachment::NotFound => return Err(NOT_FOUND),
            Detachment::NotAttached { status } => return Err(Failure::LineNotInPayout { status }),
            Detachment::Detached => {}
        }
        let line =
            store::get_commission_line(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        transaction.commit().await?;
        Ok(CommissionLineEnvelope { data: to_contract(line)? })
    }
}

const NOT_FOUND: Failure = Failure::NotFound("commission line");

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
