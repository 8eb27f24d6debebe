//! The rules that a change of a line can break, as the caller reads them.

use serde_json::json;

use crate::{
    contract::{
        types::{
            self, ErrorCode, LinePayoutDetails, LineStatusDetails, LockedLineDetails, StageDetails,
        },
        value_sets::{CommissionLineStatus, PayoutStage},
    },
    payouts::TAKES_LINES,
    problem::Failure,
};

/// The line is not attached to a payout, but in this status (§3.1): it cannot be `to_be`.
pub(super) fn not_in_payout(status: CommissionLineStatus, to_be: &str) -> Failure {
    let message =
        format!("The commission line is not attached to a payout, so it cannot be {to_be}.");
    Failure::rejected(ErrorCode::LineNotInPayout, message, LineStatusDetails { status })
}

/// The line is voided, so it cannot be changed (X7).
pub(super) fn voided() -> Failure {
    let message = "The commission line is voided, so it cannot be changed.";
    let details = LineStatusDetails { status: CommissionLineStatus::Voided };
    Failure::rejected(ErrorCode::LineVoided, message, details)
}

/// The line is in a payout that is being paid, or is paid, so it cannot be `to_be` (X7, X8).
pub(super) fn locked(payout_id: &str, stage: &str, to_be: &str) -> Failure {
    let message =
        format!("The commission line is in a payout that is {stage}, so it cannot be {to_be}.");
    let details = LockedLineDetails {
        status: CommissionLineStatus::InPayout,
        payout_id: payout_id.to_owned().into(),
        stage: types::PayoutStage::new(stage),
    };
    Failure::rejected(ErrorCode::LineLocked, message, details)
}

/// The line is in this other payout, so it cannot be attached (X23).
pub(super) fn in_payout(payout_id: &str) -> Failure {
    let message = "The commission line is in another payout. Detach it first.";
    let details = LinePayoutDetails { payout_id: payout_id.to_owned().into() };
    Failure::rejected(ErrorCode::LineInPayout, message, details)
}

/// Only a pending line can be attached (X23).
pub(super) fn not_pending(status: CommissionLineStatus) -> Failure {
    let message = format!(
        "The commission line is {status}, so it cannot be attached. Only a PENDING line can."
    );
    Failure::rejected(ErrorCode::LineNotPending, message, LineStatusDetails { status })
}

/// The line's payout is of another partner (X6).
pub(super) fn partner_mismatch() -> Failure {
    let message = "The payout is of another partner than the line.";
    Failure::rejected(ErrorCode::PartnerMismatch, message, json!({}))
}

/// The line's payout has another currency (X6, X7).
pub(super) fn currency_mismatch(payout: &str, line: &str) -> Failure {
    let message =
        format!("The payout is in {payout}, the line in {line}. A payout has one currency.");
    Failure::rejected(ErrorCode::CurrencyMismatch, message, json!({}))
}

/// The payout takes no lines in this stage (X6).
pub(super) fn payout_locked(stage: &str) -> Failure {
    let stages = TAKES_LINES.map(PayoutStage::as_str).join(", ");
    let message = format!(
        "The payout is in the stage {stage} and takes no more lines. It takes them in {stages}."
    );
    let details = StageDetails { stage: types::PayoutStage::new(stage) };
    Failure::rejected(ErrorCode::PayoutLocked, message, details)
}
