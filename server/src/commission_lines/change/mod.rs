//! The rules of changing a line, and of taking it out of its payout (§3.1, X7, X8, R2). Fields that
//! the body omits stay as they are.

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use serde_json::Value;

use openapi_runtime::{Money, RequestTimestamp, Timestamp};

use super::{creation::NamedPayout, rejection::LineRejection};
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

/// Describes how a line leaves its payout.
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
    /// Requires a stage in which a line of the payout can be `to_be`.
    pub(super) fn check_unlocked(&self, to_be: &'static str) -> Result<(), Failure> {
        if LOCKS_LINES.iter().any(|stage| stage.as_str() == self.stage) {
            let (payout_id, stage) = (self.id.clone(), self.stage.clone());
            return Err(LineRejection::Locked { payout_id, stage, to_be }.into());
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
            return if is_same {
                Ok(false)
            } else {
                Err(LineRejection::InPayout(current.id.clone()).into())
            };
        }
        let status = CommissionLineStatus::parse(&self.status)?;
        if status != CommissionLineStatus::Pending {
            return Err(LineRejection::NotPending(status).into());
        }
        let takes = |payout: &NamedPayout| payout.takes(&self.partner_id, &self.fields.currency);
        payout.map_or(Ok(()), takes).map(|()| true)
    }

    /// Returns the payout it is attached to; a line without one cannot be `to_be`.
    pub(super) fn attached_to(&self, to_be: &'static str) -> Result<&LockedPayout, Failure> {
        match &self.payout {
            Some(payout) => Ok(payout),
            None => {
                let status = CommissionLineStatus::parse(&self.status)?;
                Err(LineRejection::NotInPayout { status, to_be }.into())
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
            return Err(LineRejection::Voided.into());
        }
        if let Some(payout) = &self.payout {
            payout.check_unlocked("changed")?;
            if payout.currency != after.currency {
                let (payout, line) = (payout.currency.clone(), after.currency);
                return Err(LineRejection::CurrencyMismatch { payout, line }.into());
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

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromJSON as _;
    use serde_json::json;

    use super::*;
    use crate::contract::{Problem, types::ErrorCode};

    fn change(body: Value) -> UpdateCommissionLineRequest {
        UpdateCommissionLineRequest::parse_from_json(Some(body)).unwrap()
    }

    fn code(failure: Failure) -> ErrorCode {
        Problem::from(failure).code
    }

    fn line(status: &str, stage: Option<&str>) -> LockedLine {
        let payout = stage.map(|stage| LockedPayout {
            id: "pay_1".into(),
            stage: stage.into(),
            currency: "EUR".into(),
        });
        let fields = LineFields {
            amount: Decimal::new(12_345, 2),
            currency: "EUR".into(),
            description: "Commission on order 1001".into(),
            source_amount: Decimal::new(123_450, 2),
            plan_name: "Standard".into(),
            period_end: DateTime::UNIX_EPOCH,
        };
        let (id, partner_id) = ("cln_1".into(), "ptn_1".into());
        LockedLine { id, partner_id, status: status.into(), payout, fields }
    }

    #[test]
    fn empty_or_equal_change_changes_nothing() {
        let line = line("IN_PAYOUT", Some("DRAFT"));
        let equal = json!({
            "amount": "123.45", "currency": "EUR", "periodEnd": "1970-01-01T00:00:00Z",
        });
        assert_eq!(line.changed_by(change(json!({}))).unwrap(), None);
        assert_eq!(line.changed_by(change(equal)).unwrap(), None);
    }

    #[test]
    fn each_named_field_changes_and_the_others_stay() {
        let line = line("PENDING", None);
        let after = line.changed_by(change(json!({"amount": "1.00", "planName": ""})));
        let expected =
            LineFields { amount: Decimal::ONE, plan_name: String::new(), ..line.fields.clone() };
        assert_eq!(after.unwrap(), Some(expected));
        let history = json!({
            "amount": "123.45", "currency": "EUR", "description": "Commission on order 1001",
            "sourceAmount": "1234.50", "planName": "Standard",
            "periodEnd": "1970-01-01T00:00:00.000Z",
        });
        assert_eq!(json!(line.fields), history);
    }

    #[test]
    fn voided_line_and_line_of_a_payout_that_is_being_paid_take_only_equal_values() {
        let (nothing, dearer) = (change(json!({})), change(json!({"amount": "1.00"})));
        let voided = line("VOIDED", None);
        assert_eq!(voided.changed_by(nothing.clone()).unwrap(), None);
        assert_eq!(code(voided.changed_by(dearer.clone()).unwrap_err()), ErrorCode::LineVoided);
        for stage in PayoutStage::ALL {
            let line = line("IN_PAYOUT", Some(stage.as_str()));
            assert_eq!(line.changed_by(nothing.clone()).unwrap(), None, "{stage}");
            let rejected = line.changed_by(dearer.clone()).err().map(code);
            let expected = LOCKS_LINES.contains(stage).then_some(ErrorCode::LineLocked);
            assert_eq!(rejected, expected, "{stage}");
        }
    }

    #[test]
    fn line_is_attached_only_from_the_pending_pool() {
        let payout = |partner_id: &str, currency: &str, stage: &str| NamedPayout {
            partner_id: partner_id.into(),
            currency: currency.into(),
            stage: stage.into(),
        };
        let open = payout("ptn_1", "EUR", "DRAFT");
        let (pending, attached) = (line("PENDING", None), line("IN_PAYOUT", Some("PAID")));
        assert!(pending.check_attach("pay_1", Some(&open)).unwrap());
        assert!(!attached.check_attach("pay_1", Some(&open)).unwrap(), "it is there already");
        let rejected =
            |line: &LockedLine, id, payout| code(line.check_attach(id, payout).unwrap_err());
        assert_eq!(rejected(&pending, "pay_1", None), ErrorCode::InvalidReference);
        let other = attached.check_attach("pay_2", Some(&open)).unwrap_err();
        assert_eq!(other.to_string(), "the commission line is in the payout pay_1");
        for status in ["EXPECTED", "VOIDED"] {
            let rejected = rejected(&line(status, None), "pay_1", Some(&open));
            assert_eq!(rejected, ErrorCode::LineNotPending, "{status}");
        }
        let other = payout("ptn_2", "USD", "PAID");
        assert_eq!(rejected(&pending, "pay_1", Some(&other)), ErrorCode::PartnerMismatch);
    }

    #[test]
    fn currency_changes_outside_a_payout_alone() {
        let dollars = change(json!({"currency": "USD"}));
        assert!(line("PENDING", None).changed_by(dollars.clone()).unwrap().is_some());
        let rejected = line("IN_PAYOUT", Some("DRAFT")).changed_by(dollars).unwrap_err();
        let expected = "the payout is in EUR, the line in USD";
        assert_eq!(rejected.to_string(), expected);
    }
}
