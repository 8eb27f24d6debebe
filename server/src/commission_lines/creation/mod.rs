//! The rules of creating a line (X6).

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::rejection::LineRejection;
use crate::{
    contract::types::CreateCommissionLineReferences, payouts::TAKES_LINES, problem::Failure,
};

#[derive(Clone, Debug)]
pub(super) struct NewLine {
    pub(super) id: String,
    pub(super) partner_id: String,
    /// The payout to attach it to; `None` puts it into the pending pool.
    pub(super) payout_id: Option<String>,
    pub(super) description: String,
    pub(super) amount: Decimal,
    pub(super) source_amount: Decimal,
    pub(super) currency: String,
    pub(super) plan_name: String,
    /// `None` means now.
    pub(super) period_end: Option<DateTime<Utc>>,
    /// Only one line of the organisation ever has it.
    pub(super) idempotency_key: Option<String>,
}

/// The things that a new line names, as far as the organisation has them.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) has_partner: bool,
    pub(super) payout: Option<NamedPayout>,
}

/// The payout that a line is to be attached to.
#[derive(Clone, Debug)]
pub(super) struct NamedPayout {
    pub(super) partner_id: String,
    pub(super) currency: String,
    pub(super) stage: String,
}

impl NewLine {
    /// Requires that the line can be created, given the things that it names.
    pub(super) fn check(&self, named: &Named) -> Result<(), Failure> {
        Failure::unless_found(CreateCommissionLineReferences {
            partner_id: named.has_partner,
            payout_id: self.payout_id.is_none() || named.payout.is_some(),
        })?;
        let takes = |payout: &NamedPayout| payout.takes(&self.partner_id, &self.currency);
        named.payout.as_ref().map_or(Ok(()), takes)
    }
}

impl NamedPayout {
    /// Requires that the payout takes a line of this partner in this currency (X6, X23).
    pub(super) fn takes(&self, partner_id: &str, currency: &str) -> Result<(), Failure> {
        if self.partner_id != partner_id {
            return Err(LineRejection::PartnerMismatch.into());
        }
        if self.currency != currency {
            let (payout, line) = (self.currency.clone(), currency.to_owned());
            return Err(LineRejection::CurrencyMismatch { payout, line }.into());
        }
        if !TAKES_LINES.iter().any(|stage| stage.as_str() == self.stage) {
            return Err(LineRejection::PayoutLocked { stage: self.stage.clone() }.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Problem, types::ErrorCode};

    fn line() -> NewLine {
        NewLine {
            id: "cln_1".into(),
            partner_id: "ptn_1".into(),
            payout_id: Some("pay_1".into()),
            description: "Commission".into(),
            amount: Decimal::ONE,
            source_amount: Decimal::TEN,
            currency: "EUR".into(),
            plan_name: String::new(),
            period_end: None,
            idempotency_key: None,
        }
    }

    fn payout(partner_id: &str, currency: &str, stage: &str) -> Named {
        let payout = NamedPayout {
            partner_id: partner_id.into(),
            currency: currency.into(),
            stage: stage.into(),
        };
        Named { has_partner: true, payout: Some(payout) }
    }

    #[test]
    fn all_unknown_references_are_reported_together() {
        let nothing = Named { has_partner: false, payout: None };
        let Err(Failure::InvalidReferences(unknown)) = line().check(&nothing) else {
            panic!("both are unknown");
        };
        let paths: Vec<&str> = unknown.iter().map(|(path, _)| *path).collect();
        assert_eq!(paths, ["/partnerId", "/payoutId"]);
        let partner = Named { has_partner: true, payout: None };
        assert!(NewLine { payout_id: None, ..line() }.check(&partner).is_ok());
    }

    #[test]
    fn payout_must_have_the_partner_then_the_currency_then_a_stage_that_takes_lines() {
        let check = |named| line().check(&named);
        let code = |named| Problem::from(check(named).unwrap_err()).code;
        assert_eq!(code(payout("ptn_2", "USD", "PAID")), ErrorCode::PartnerMismatch);
        assert_eq!(code(payout("ptn_1", "USD", "PAID")), ErrorCode::CurrencyMismatch);
        for (stage, is_open) in [
            ("DRAFT", true),
            ("PENDING_REVIEW", true),
            ("APPROVED", true),
            ("PENDING_INVOICE", true),
            ("SCHEDULED", false),
            ("PAID", false),
            ("of a later version", false),
        ] {
            let checked = check(payout("ptn_1", "EUR", stage));
            assert_eq!(checked.is_ok(), is_open, "{stage}");
        }
    }
}
