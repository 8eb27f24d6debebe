//! What happens to a line whose conversion is reversed (X20): it is voided or, where its payout is
//! being paid, clawed back by another line.

mod store;

use serde_json::json;

use super::change::{
    LockedLine, Release,
    store::{lock_line, release_line},
};
use crate::{
    contract::value_sets::CommissionLineStatus::{self, Expected, InPayout, Pending, Voided},
    gate::Caller,
    postgres::TenantTransaction,
    problem::Failure,
};

const ACTION: &str = "reverse_conversion";

/// Why a line is reversed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reversal<'a> {
    pub(crate) conversion_id: &'a str,
    /// The conversion as people know it.
    pub(crate) conversion: &'a str,
    pub(crate) reason: Option<&'a str>,
}

/// Reverses the line of a conversion, which the caller has locked.
pub(crate) async fn reverse_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    id: &str,
    reversal: &Reversal<'_>,
) -> Result<(), Failure> {
    let line = lock_line(transaction, id).await?;
    let line =
        line.ok_or_else(|| Failure::Internal(format!("a conversion's line {id} is gone")))?;
    let reason = json!({ "conversionId": reversal.conversion_id, "reason": reversal.reason });
    match (CommissionLineStatus::parse(&line.status)?, &line.payout) {
        // It was declined before.
        (Voided, _) => {}
        (Expected | Pending | InPayout, None) => {
            store::void_line(transaction, caller, &line, &reason).await?;
        }
        (_, Some(payout)) if payout.locks_lines() => {
            let description = format!("Reversal of conversion {}", reversal.conversion);
            store::claw_back(transaction, caller, &line, &description).await?;
        }
        (_, Some(payout)) => {
            let release = Release {
                action: ACTION,
                status: Voided,
                reason,
                declines_empty_payout: payout.may_be_declined(),
            };
            release_line(transaction, caller, &line, payout, release).await?;
        }
    }
    Ok(())
}
