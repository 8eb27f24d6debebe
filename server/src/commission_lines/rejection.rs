//! The rules that a change of a line can break, and the problems that the caller gets for them.

use serde_json::json;

use crate::{
    contract::{
        Problem,
        types::{
            self, ErrorCode, LinePayoutDetails, LineStatusDetails, LockedLineDetails, StageDetails,
        },
        value_sets::{CommissionLineStatus, PayoutStage},
    },
    payouts::TAKES_LINES,
    problem::Failure,
};

#[derive(Debug, thiserror::Error)]
pub(super) enum LineRejection {
    /// The line is not attached to a payout, but in this status (§3.1): it cannot be `to_be`.
    #[error("the commission line is not attached to a payout")]
    NotInPayout { status: CommissionLineStatus, to_be: &'static str },
    /// The line is voided, so it cannot be changed (X7).
    #[error("the commission line is voided")]
    Voided,
    /// The line is in a payout that is being paid, or is paid, so it cannot be `to_be` (X7, X8).
    #[error("the commission line is in a payout in the stage {stage}")]
    Locked { payout_id: String, stage: String, to_be: &'static str },
    /// The line is in this other payout, so it cannot be attached (X23).
    #[error("the commission line is in the payout {0}")]
    InPayout(String),
    /// Only a pending line can be attached (X23).
    #[error("the commission line is not pending")]
    NotPending(CommissionLineStatus),
    /// The line's payout is of another partner (X6).
    #[error("the payout is of another partner than the line")]
    PartnerMismatch,
    /// The line's payout has another currency (X6, X7).
    #[error("the payout is in {payout}, the line in {line}")]
    CurrencyMismatch { payout: String, line: String },
    /// The payout takes no lines in this stage (X6).
    #[error("the payout takes no lines in the stage {stage}")]
    PayoutLocked { stage: String },
}

impl From<LineRejection> for Failure {
    fn from(rejection: LineRejection) -> Self {
        Self::rejected(rejection)
    }
}

impl From<LineRejection> for Problem {
    fn from(rejection: LineRejection) -> Self {
        match rejection {
            LineRejection::NotInPayout { status, to_be } => Self::new(
                ErrorCode::LineNotInPayout,
                format!(
                    "The commission line is not attached to a payout, so it cannot be {to_be}."
                ),
            )
            .with_details(LineStatusDetails { status }),
            LineRejection::Voided => Self::new(
                ErrorCode::LineVoided,
                "The commission line is voided, so it cannot be changed.",
            )
            .with_details(LineStatusDetails { status: CommissionLineStatus::Voided }),
            LineRejection::Locked { payout_id, stage, to_be } => {
                line_locked(payout_id, &stage, to_be)
            }
            LineRejection::InPayout(payout_id) => Self::new(
                ErrorCode::LineInPayout,
                "The commission line is in another payout. Detach it first.",
            )
            .with_details(LinePayoutDetails { payout_id: payout_id.into() }),
            LineRejection::NotPending(status) => Self::new(
                ErrorCode::LineNotPending,
                format!(
                    "The commission line is {status}, so it cannot be attached. \
                     Only a PENDING line can."
                ),
            )
            .with_details(LineStatusDetails { status }),
            LineRejection::PartnerMismatch => Self::new(
                ErrorCode::PartnerMismatch,
                "The payout is of another partner than the line.",
            )
            .with_details(json!({})),
            LineRejection::CurrencyMismatch { payout, line } => Self::new(
                ErrorCode::CurrencyMismatch,
                format!(
                    "The payout is in {payout}, the line in {line}. A payout has one currency."
                ),
            )
            .with_details(json!({})),
            LineRejection::PayoutLocked { stage } => payout_locked(&stage),
        }
    }
}

fn line_locked(payout_id: String, stage: &str, to_be: &str) -> Problem {
    let message =
        format!("The commission line is in a payout that is {stage}, so it cannot be {to_be}.");
    Problem::new(ErrorCode::LineLocked, message).with_details(LockedLineDetails {
        status: CommissionLineStatus::InPayout,
        payout_id: payout_id.into(),
        stage: types::PayoutStage::new(stage),
    })
}

fn payout_locked(stage: &str) -> Problem {
    let stages = TAKES_LINES.map(PayoutStage::as_str).join(", ");
    let message = format!(
        "The payout is in the stage {stage} and takes no more lines. It takes them in {stages}."
    );
    let details = StageDetails { stage: types::PayoutStage::new(stage) };
    Problem::new(ErrorCode::PayoutLocked, message).with_details(details)
}
