//! The rules of changing a line, and of taking it out of its payout (§3.1, X7, X8, R2). Fields that
//! the body omits stay as they are.

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use openapi_runtime::Timestamp;

use crate::{
    contract::value_sets::{CommissionLineStatus, PayoutStage},
    failure::Failure,
    payouts::sources_of,
};

/// The fields of a PATCH; `None` keeps a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineChange {
    pub(super) amount: Option<Decimal>,
    pub(super) currency: Option<String>,
    pub(super) description: Option<String>,
    pub(super) source_amount: Option<Decimal>,
    pub(super) plan_name: Option<String>,
    pub(super) period_end: Option<DateTime<Utc>>,
}

/// The changeable fields, before or after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFields {
    pub(super) amount: Decimal,
    pub(super) currency: String,
    pub(super) description: String,
    pub(super) source_amount: Decimal,
    pub(super) plan_name: String,
    pub(super) period_end: DateTime<Utc>,
}

/// A line that is locked, together with its payout, until the transaction ends.
#[derive(Clone, Debug)]
pub(super) struct LockedLine {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) payout: Option<LockedPayout>,
    pub(super) fields: ChangedFields,
}

/// The payout of a locked line.
#[derive(Clone, Debug)]
pub(super) struct LockedPayout {
    pub(super) id: String,
    pub(super) stage: String,
    pub(super) currency: String,
}

/// How a line leaves its payout.
#[derive(Clone, Debug)]
pub(super) struct Release {
    /// The action, as the history names it.
    pub(super) action: &'static str,
    pub(super) status: CommissionLineStatus,
    /// What the history stores beside the line's status.
    pub(super) reason: Value,
    /// Whether a payout without lines becomes `DECLINED`.
    pub(super) declines_empty_payout: bool,
}

impl LockedPayout {
    /// Rejects a change of a line in a payout that is paid.
    pub(super) fn check_unpaid(&self) -> Result<(), Failure> {
        if self.stage == PayoutStage::Paid.as_str() {
            return Err(Failure::LineLocked);
        }
        Ok(())
    }

    /// Whether its stage may become `DECLINED` (X4).
    pub(super) fn may_be_declined(&self) -> bool {
        sources_of(PayoutStage::Declined).contains(&self.stage.as_str())
    }
}

impl LockedLine {
    /// The payout it is attached to; a line without one cannot be `to_be`.
    pub(super) fn attached_to(&self, to_be: &'static str) -> Result<&LockedPayout, Failure> {
        match &self.payout {
            Some(payout) => Ok(payout),
            None => {
                let status = CommissionLineStatus::parse(&self.status)?;
                Err(Failure::LineNotInPayout { status, to_be })
            }
        }
    }
}

impl LineChange {
    /// The fields of the line after this change; `None` where nothing differs, so that `updatedAt`
    /// stays too.
    pub(super) fn apply(&self, line: &LockedLine) -> Result<Option<ChangedFields>, Failure> {
        if line.status == CommissionLineStatus::Voided.as_str() {
            return Err(Failure::LineVoided);
        }
        let after = self.applied_to(line.fields.clone());
        if let Some(payout) = &line.payout {
            payout.check_unpaid()?;
            if payout.currency != after.currency {
                let (payout, line) = (payout.currency.clone(), after.currency);
                return Err(Failure::CurrencyMismatch { payout, line });
            }
        }
        Ok(Some(after).filter(|after| *after != line.fields))
    }

    fn applied_to(&self, fields: ChangedFields) -> ChangedFields {
        let Self { amount, currency, description, source_amount, plan_name, period_end } =
            self.clone();
        ChangedFields {
            amount: amount.unwrap_or(fields.amount),
            currency: currency.unwrap_or(fields.currency),
            description: description.unwrap_or(fields.description),
            source_amount: source_amount.unwrap_or(fields.source_amount),
            plan_name: plan_name.unwrap_or(fields.plan_name),
            period_end: period_end.unwrap_or(fields.period_end),
        }
    }
}

impl ChangedFields {
    /// The values as the history stores them.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "amount": self.amount.to_string(),
            "currency": self.currency,
            "description": self.description,
            "sourceAmount": self.source_amount.to_string(),
            "planName": self.plan_name,
            "periodEnd": Timestamp::new(self.period_end).to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(status: &str, stage: Option<&str>) -> LockedLine {
        let payout = stage.map(|stage| LockedPayout {
            id: "pay_1".into(),
            stage: stage.into(),
            currency: "EUR".into(),
        });
        let fields = ChangedFields {
            amount: Decimal::new(12_345, 2),
            currency: "EUR".into(),
            description: "Commission on order 1001".into(),
            source_amount: Decimal::new(123_450, 2),
            plan_name: "Standard".into(),
            period_end: DateTime::UNIX_EPOCH,
        };
        LockedLine { id: "cln_1".into(), status: status.into(), payout, fields }
    }

    #[test]
    fn empty_or_equal_change_changes_nothing() {
        let line = line("IN_PAYOUT", Some("DRAFT"));
        let equal = LineChange {
            amount: Some(Decimal::new(12_345, 2)),
            currency: Some("EUR".into()),
            period_end: Some(DateTime::UNIX_EPOCH),
            ..LineChange::default()
        };
        assert_eq!(LineChange::default().apply(&line).unwrap(), None);
        assert_eq!(equal.apply(&line).unwrap(), None);
    }

    #[test]
    fn each_named_field_changes_and_the_others_stay() {
        let line = line("PENDING", None);
        let change = LineChange {
            amount: Some(Decimal::ONE),
            plan_name: Some(String::new()),
            ..LineChange::default()
        };
        let expected =
            ChangedFields { amount: Decimal::ONE, plan_name: String::new(), ..line.fields.clone() };
        assert_eq!(change.apply(&line).unwrap(), Some(expected));
    }

    #[test]
    fn voided_line_and_line_of_a_paid_payout_take_no_change_at_all() {
        let nothing = LineChange::default();
        assert!(matches!(nothing.apply(&line("VOIDED", None)), Err(Failure::LineVoided)));
        let paid = line("IN_PAYOUT", Some("PAID"));
        assert!(matches!(nothing.apply(&paid), Err(Failure::LineLocked)));
    }

    #[test]
    fn currency_changes_outside_a_payout_alone() {
        let dollars = LineChange { currency: Some("USD".into()), ..LineChange::default() };
        assert!(dollars.apply(&line("PENDING", None)).unwrap().is_some());
        let rejected = dollars.apply(&line("IN_PAYOUT", Some("DRAFT"))).unwrap_err();
        let expected = "the payout is in EUR, the line in USD";
        assert_eq!(rejected.to_string(), expected);
    }
}
