//! The operations of the tag `commission-lines`: contract types in, contract types out.
//!
//! It refuses rules and SQL: those stand in the model and the store.

use super::{
    model::{self, LineFilters},
    store::{self, Detachment},
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
    mutants::{self, Mutant},
    page::Page,
};

impl CommissionLinesApi for App {
    async fn list_commission_lines(
        &self,
        caller: Caller,
        query: ListCommissionLinesQuery,
    ) -> Result<CommissionLineList, Failure> {
        let page = Page::of(
            Operation::ListCommissionLines,
            &query.filters(),
            query.limit,
            query.cursor.as_ref(),
        )?;
        let filters = LineFilters {
            partner_id: query.partner_id.as_ref().map(|id| id.as_str()),
            payout_id: query.payout_id.as_ref().map(|id| id.as_str()),
            status: query.status.map(|status| status.as_str()),
        };
        let mut transaction = self.tenants.read(&caller.organization).await?;
        let lines =
            store::list_commission_lines(&mut transaction, filters, &page.position, page.rows())
                .await?;
        #[cfg(feature = "mutants")]
        let lines = {
            let (own, is_first) = (&caller.organization, query.cursor.is_none());
            mutants::tenancy::lines(self, own, &page, filters, is_first, lines).await?
        };
        let (lines, pagination) = page.cut(lines, |line| (line.created_at, &line.id));
        let data = lines
            .into_iter()
            .map(|line| Ok(answer(line)?.into()))
            .collect::<Result<_, Failure>>()?;
        Ok(CommissionLineList { data, pagination })
    }

    async fn detach_commission_line(
        &self,
        caller: Caller,
        id: CommissionLineId,
    ) -> Result<CommissionLineEnvelope, Failure> {
        #[cfg(feature = "mutants")]
        let caller = mutants::tenancy::detacher(self, caller, id.as_str()).await?;
        #[cfg(feature = "mutants")]
        let before = mutants::lines::before(self, &caller, id.as_str()).await?;
        let mut transaction = self.tenants.write(&caller.organization).await?;
        match store::detach_commission_line(&mut transaction, &caller, id.as_str()).await? {
            Detachment::NotFound => return Err(NOT_FOUND),
            #[cfg(feature = "mutants")]
            Detachment::NotAttached if mutants::lines::is_detached_again(before.as_ref()) => {}
            Detachment::NotAttached => return Err(Failure::LineNotInPayout),
            Detachment::Detached => {}
        }
        let line = store::get_commission_line(&mut transaction, id.as_str())
            .await?
            .ok_or(NOT_FOUND)?;
        #[cfg(feature = "mutants")]
        let line = mutants::lines::after(&mut transaction, before, line).await?;
        if !mutants::is(Mutant::DetachNotStored) {
            transaction.commit().await?;
        }
        Ok(CommissionLineEnvelope {
            data: answer(line)?,
        })
    }
}

const NOT_FOUND: Failure = Failure::NotFound("commission line");

fn answer(line: model::CommissionLine) -> Result<CommissionLine, Failure> {
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
