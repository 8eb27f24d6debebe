//! The rules of changing a line, and of taking it out of its payout (§3.1, X7, X8, R2). Fields that
//! the body omits stay as they are.

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use serde_json::Value;

use openapi_runtime::{Money, RequestTimestamp, Timestamp};

use super::{creation::NamedPayout, rejection};
use crate::{
    contract::{
        types::{AttachCommissionLineReferences, UpdateCommissionLineRequest},
        value_sets::{CommissionLineStatus, PayoutStage},
    },
    payouts::{LOCKS_LINES, sources_of},
    problem::Failure,
};

/// The changeable fields, under the names of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LineFields {
    #[serde(serialize_with = "as_text")]
    pub(super) amount: Decimal,
    pub(super) currency: String,
    pub(super) description: String,
    #[serde(serialize_with = "as_text")]
    pub(super) source_amount: Decimal,
    pub(super) plan_name: String,
    #[serde(serialize_with = "as_timestamp")]
    pub(super) period_end: DateTime<Utc>,
}

/// A line that is locked, together with its payout, until the transaction ends.
#[derive(Clone, Debug)]
pub(super) struct LockedLine {
    pub(super) id: String,
    pub(super) partner_id: String,
    pub(super) status: String,
    pub(super) payout: Option<LockedPayout>,
    pub(super) fields: LineFields,
}

#[derive(Clone, Debug)]
pub(super) struct LockedPayout {
    pub(super) id: String,
    pub(super) stage: String,
    pub(super) currency: String,
}

#[derive(Clone, Debug)]
pub(super) struct Release {
    /// The action, as the history names it.
    pub(super) action: &'static str,
    pub(super) status: CommissionLineStatus,
    /// Stored in the history, beside the line's status.
    pub(super) reason: Value,
    /// If true, a payout without lines becomes `DECLINED`.
    pub(super) declines_empty_payout: bool,
}

impl LockedPayout {
    /// Returns true if its lines cannot be changed: it is being paid, or is paid.
    pub(super) fn locks_lines(&self) -> bool {
        LOCKS_LINES.iter().any(|stage| stage.as_str() == self.stage)
    }

    /// Requires a stage in which a line of the payout can be `to_be`.
    pub(super) fn check_unlocked(&self, to_be: &str) -> Result<(), Failure> {
        if self.locks_lines() {
            return Err(rejection::locked(&self.id, &self.stage, to_be));
        }
        Ok(())
    }

    /// Returns true if its stage may become `DECLINED` (X4).
    pub(super) fn may_be_declined(&self) -> bool {
        sources_of(PayoutStage::Declined).contains(&self.stage.as_str())
    }
}

impl LockedLine {
    /// Requires that the line can be attached to the payout `id`, which is `payout` where the
    /// organisation has it. Returns false where the line is attached to it already.
    pub(super) fn check_attach(
        &self,
        id: &str,
        payout: Option<&NamedPayout>,
    ) -> Result<bool, Failure> {
        let payout_id = payout.is_some();
        Failure::unless_found(AttachCommissionLineReferences { payout_id })?;
        if let Some(current) = &self.payout {
            let is_same = current.id == id;
            return if is_same { Ok(false) } else { Err(rejection::in_payout(&current.id)) };
        }
        let status = CommissionLineStatus::parse(&self.status)?;
        if status != CommissionLineStatus::Pending {
            return Err(rejection::not_pending(status));
        }
        let takes = |payout: &NamedPayout| payout.takes(&self.partner_id, &self.fields.currency);
        payout.map_or(Ok(()), takes).map(|()| true)
    }

    /// Returns the payout it is attached to; a line without one cannot be `to_be`.
    pub(super) fn attached_to(&self, to_be: &str) -> Result<&LockedPayout, Failure> {
        match &self.payout {
            Some(payout) => Ok(payout),
            None => {
                let status = CommissionLineStatus::parse(&self.status)?;
                Err(rejection::not_in_payout(status, to_be))
            }
        }
    }

    /// Returns the fields after a change; `None` if nothing differs, in every state, so that
    /// `updatedAt` stays too.
    pub(super) fn changed_by(
        &self,
        change: UpdateCommissionLineRequest,
    ) -> Result<Option<LineFields>, Failure> {
        let after = self.fields.changed_by(change);
        if after == self.fields {
            return Ok(None);
        }
        if self.status == CommissionLineStatus::Voided.as_str() {
            return Err(rejection::voided());
        }
        if let Some(payout) = &self.payout {
            payout.check_unlocked("changed")?;
            if payout.currency != after.currency {
                return Err(rejection::currency_mismatch(&payout.currency, &after.currency));
            }
        }
        Ok(Some(after))
    }
}

impl LineFields {
    fn changed_by(&self, change: UpdateCommissionLineRequest) -> Self {
        let UpdateCommissionLineRequest {
            amount,
            currency,
            description,
            source_amount,
            plan_name,
            period_end,
        } = change;
        let before = self.clone();
        Self {
            amount: amount.map_or(before.amount, Money::get),
            currency: currency.map_or(before.currency, |currency| currency.into_string()),
            description: description.map_or(before.description, |text| text.into_string()),
            source_amount: source_amount.map_or(before.source_amount, Money::get),
            plan_name: plan_name.map_or(before.plan_name, |name| name.into_string()),
            period_end: period_end.map_or(before.period_end, RequestTimestamp::get),
        }
    }
}

fn as_text<S: Serializer>(amount: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount)
}

fn as_timestamp<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    Timestamp::new(*time).serialize(serializer)
}
