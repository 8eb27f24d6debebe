//! The rules of creating a line (X6).

pub(super) mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::rejection;
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
            return Err(rejection::partner_mismatch());
        }
        if self.currency != currency {
            return Err(rejection::currency_mismatch(&self.currency, currency));
        }
        if !TAKES_LINES.iter().any(|stage| stage.as_str() == self.stage) {
            return Err(rejection::payout_locked(&self.stage));
        }
        Ok(())
    }
}
