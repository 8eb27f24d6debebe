//! The rules of changing a line, and of taking it out of its payout (§3.1, X7, X8, R2). Fields that
//! the body omits stay as they are.

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use openapi_runtime::Timestamp;

use super::creation::NamedPayout;
use crate::{
    contract::{
        types::AttachCommissionLineReferences,
        value_sets::{CommissionLineStatus, PayoutStage},
    },
    failure::Failure,
    payouts::{LOCKS_LINES, sources_of},
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
    pub(super) partner_id: String,
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
    /// Requires a stage in which a line of the payout can be `to_be`.
    pub(super) fn check_unlocked(&self, to_be: &'static str) -> Result<(), Failure> {
        if LOCKS_LINES.iter().any(|stage| stage.as_str() == self.stage) {
            let (payout_id, stage) = (self.id.clone(), self.stage.clone());
            return Err(Failure::LineLocked { payout_id, stage, to_be });
        }
        Ok(())
    }

    /// Whether its stage may become `DECLINED` (X4).
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
                Err(Failure::LineInPayout(current.id.clone()))
            };
        }
        let status = CommissionLineStatus::parse(&self.status)?;
        if status != CommissionLineStatus::Pending {
            return Err(Failure::LineNotPending(status));
        }
        let takes = |payout: &NamedPayout| payout.takes(&self.partner_id, &self.fields.currency);
        payout.map_or(Ok(()), takes).map(|()| true)
    }

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
    /// The fields of the line after this change; `None` where nothing differs, in every state, so
    /// that `updatedAt` stays too.
    pub(super) fn apply(&self, line: &LockedLine) -> Result<Option<ChangedFields>, Failure> {
        let after = self.applied_to(line.fields.clone());
        if after == line.fields {
            return Ok(None);
        }
        if line.status == CommissionLineStatus::Voided.as_str() {
            return Err(Failure::LineVoided);
        }
        if let Some(payout) = &line.payout {
            payout.check_unlocked("changed")?;
            if payout.currency != after.currency {
                let (payout, line) = (payout.currency.clone(), after.currency);
                return Err(Failure::CurrencyMismatch { payout, line });
            }
        }
        Ok(Some(after))
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
        let (id, partner_id) = ("cln_1".into(), "ptn_1".into());
        LockedLine { id, partner_id, status: status.into(), payout, fields }
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
    fn voided_line_and_line_of_a_payout_that_is_being_paid_take_only_equal_values() {
        let (nothing, dearer) = (
            LineChange::default(),
            LineChange { amount: Some(Decimal::ONE), ..LineChange::default() },
        );
        let voided = line("VOIDED", None);
        assert_eq!(nothing.apply(&voided).unwrap(), None);
        assert!(matches!(dearer.apply(&voided), Err(Failure::LineVoided)));
        for stage in PayoutStage::ALL {
            let line = line("IN_PAYOUT", Some(stage.as_str()));
            assert_eq!(nothing.apply(&line).unwrap(), None, "{stage}");
            let is_locked = matches!(dearer.apply(&line), Err(Failure::LineLocked { .. }));
            assert_eq!(is_locked, LOCKS_LINES.contains(stage), "{stage}");
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
        let rejected = |line: &LockedLine, id, payout| line.check_attach(id, payout).unwrap_err();
        assert!(matches!(rejected(&pending, "pay_1", None), Failure::InvalidReferences(_)));
        let other = rejected(&attached, "pay_2", Some(&open));
        assert!(matches!(other, Failure::LineInPayout(id) if id == "pay_1"));
        for status in ["EXPECTED", "VOIDED"] {
            let failure = rejected(&line(status, None), "pay_1", Some(&open));
            assert!(matches!(failure, Failure::LineNotPending(_)), "{status}");
        }
        let failure = rejected(&pending, "pay_1", Some(&payout("ptn_2", "USD", "PAID")));
        assert!(matches!(failure, Failure::PartnerMismatch));
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
