//! The one failure of handlers, and the [`Problem`] that a caller gets for it. What the database
//! reported becomes the problem's cause, which is logged and never sent.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use openapi_runtime::{Issue, IssueCode, MoneyError, References, UnknownValue};

use crate::{
    contract::{
        Problem,
        types::{
            self, ErrorCode, LinePayoutDetails, LineStatusDetails, LockedLineDetails,
            MissingBillingDetails, StageDetails, StageTransitionDetails, StatementSizeDetails,
        },
        value_sets::{CommissionLineStatus, PayoutStage},
    },
    gate::{admission::AdmissionError, unavailable},
    organizations::MissingBilling,
    payouts::{InvalidTransition, TAKES_LINES},
    postgres::{BatchReadError, is_unavailable},
    statements::storage::StorageError,
};

/// Why an operation did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The organisation has no such resource; a foreign one looks exactly alike (A10).
    #[error("the organisation has no {0} with this id")]
    NotFound(&'static str),
    /// The body names things that the organisation does not have (R2), at these places.
    #[error("the body names things that do not exist")]
    InvalidReferences(Vec<(&'static str, &'static str)>),
    /// The line is not attached to a payout, but in this status (§3.1): it cannot be `to_be`.
    #[error("the commission line is not attached to a payout")]
    LineNotInPayout { status: CommissionLineStatus, to_be: &'static str },
    /// The line is voided, so it cannot be changed (X7).
    #[error("the commission line is voided")]
    LineVoided,
    /// The line is in a payout that is being paid, or is paid, so it cannot be `to_be` (X7, X8).
    #[error("the commission line is in a payout in the stage {stage}")]
    LineLocked { payout_id: String, stage: String, to_be: &'static str },
    /// The line is in this other payout, so it cannot be attached (X23).
    #[error("the commission line is in the payout {0}")]
    LineInPayout(String),
    /// Only a pending line can be attached (X23).
    #[error("the commission line is not pending")]
    LineNotPending(CommissionLineStatus),
    /// The line's payout is of another partner (X6).
    #[error("the payout is of another partner than the line")]
    PartnerMismatch,
    /// The line's payout has another currency (X6, X7).
    #[error("the payout is in {payout}, the line in {line}")]
    CurrencyMismatch { payout: String, line: String },
    /// The payout takes no lines in this stage (X6).
    #[error("the payout takes no lines in the stage {stage}")]
    PayoutLocked { stage: String },
    /// The payout cannot move to the stage (X4).
    #[error("the payout cannot move to the stage")]
    InvalidStageTransition(InvalidTransition),
    /// The payout has no lines to print (§4.7 rule 6).
    #[error("the payout has no commission lines")]
    NoCommissionLines,
    /// The organisation's billing information is incomplete (§4.7 rule 7, S3).
    #[error("the organisation's billing information is incomplete")]
    NoBillingInfo(Vec<MissingBilling>),
    /// The payout has more lines than a statement prints (S2).
    #[error("the payout has {lines} commission lines, more than {limit}")]
    StatementTooLarge { lines: i64, limit: i64 },
    /// The work did not end within this time; it continues, and a later request may find it done.
    #[error("the work took longer than {0:?}")]
    TooLate(Duration),
    /// Too many of these requests of the organisation wait already; a later one may be served.
    #[error("too many {0} of the organisation wait")]
    QueueFull(&'static str),
    /// The limit of concurrent ones is reached; a later request may be served.
    #[error("too many {0} at once")]
    Overloaded(&'static str),
    /// Another request with this idempotency key is still running (X9).
    #[error("another request with this idempotency key is still running")]
    IdempotencyInProgress,
    /// The object store cannot be used now: away, overloaded, or too slow.
    #[error("the object store is not available")]
    StorageUnavailable(#[source] StorageError),
    /// The database cannot be used now: away, overloaded, or too slow.
    #[error("the database is not available")]
    Unavailable(#[source] Arc<sqlx::Error>),
    /// The database rejected a statement.
    #[error("the database rejected a statement")]
    Database(#[source] Arc<sqlx::Error>),
    /// The gate could not decide.
    #[error(transparent)]
    Admission(AdmissionError),
    /// The gate did not admit the request, and responds with its own reason.
    #[error("the request was not admitted")]
    NotAdmitted,
    /// A defect of this server.
    #[error("{0}")]
    Internal(String),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Arc::new(error).into()
    }
}

impl From<Arc<sqlx::Error>> for Failure {
    fn from(error: Arc<sqlx::Error>) -> Self {
        if is_unavailable(&error) { Self::Unavailable(error) } else { Self::Database(error) }
    }
}

impl From<BatchReadError> for Failure {
    fn from(error: BatchReadError) -> Self {
        match error {
            BatchReadError::Lost(lost) => Self::Internal(lost.to_string()),
            BatchReadError::Database(error) => error.into(),
        }
    }
}

impl Failure {
    /// Which of the [`CAUSES`] of a 503 it is.
    ///
    /// [`CAUSES`]: crate::metrics::CAUSES
    pub(crate) fn cause_of_503(&self) -> &'static str {
        match self {
            Self::QueueFull(_)
            | Self::Overloaded(_)
            | Self::Admission(AdmissionError::Contended) => "overload",
            Self::TooLate(_) => "timeout",
            Self::StorageUnavailable(_) => "storage",
            Self::Unavailable(_)
            | Self::Admission(AdmissionError::Database(_) | AdmissionError::NotDurable(_)) => {
                "database"
            }
            _ => "other",
        }
    }

    /// Reports all unknown references together.
    pub(crate) fn unless_found(references: impl References) -> Result<(), Self> {
        let unknown = references.unknown();
        if unknown.is_empty() { Ok(()) } else { Err(Self::InvalidReferences(unknown)) }
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Unavailable { .. } => Self::StorageUnavailable(error),
            _ => Self::Internal(error.to_string()),
        }
    }
}

impl From<MoneyError> for Failure {
    fn from(error: MoneyError) -> Self {
        Self::Internal(format!("the database holds an amount that the API cannot carry: {error}"))
    }
}

impl From<UnknownValue> for Failure {
    fn from(error: UnknownValue) -> Self {
        Self::Internal(format!("the database holds a value outside its set: {error}"))
    }
}

/// 422: the request names things that the organisation does not have (R2).
fn invalid_references(unknown: &[(&str, &str)]) -> Problem {
    let issue = |(path, what): &(&str, &str)| {
        let message = format!("the organisation has no such {what}");
        Issue::body(*path, IssueCode::InvalidReference, message)
    };
    let issues: Vec<Issue> = unknown.iter().map(issue).collect();
    let what = "something that the organisation does not have";
    let verbs = [format!("names {what}"), format!("name {what}")];
    Problem::of_issues(ErrorCode::InvalidReference, &issues, [&verbs[0], &verbs[1]])
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotFound(resource) => Self::new(
                ErrorCode::NotFound,
                format!("The organisation has no {resource} with this id."),
            ),
            Failure::InvalidReferences(unknown) => invalid_references(&unknown),
            Failure::LineNotInPayout { status, to_be } => Self::new(
                ErrorCode::LineNotInPayout,
                format!(
                    "The commission line is not attached to a payout, so it cannot be {to_be}."
                ),
            )
            .with_details(LineStatusDetails { status }),
            Failure::InvalidStageTransition(transition) => invalid_stage_transition(&transition),
            Failure::LineVoided => Self::new(
                ErrorCode::LineVoided,
                "The commission line is voided, so it cannot be changed.",
            )
            .with_details(LineStatusDetails { status: CommissionLineStatus::Voided }),
            Failure::LineLocked { payout_id, stage, to_be } => {
                line_locked(payout_id, &stage, to_be)
            }
            Failure::LineInPayout(payout_id) => Self::new(
                ErrorCode::LineInPayout,
                "The commission line is in another payout. Detach it first.",
            )
            .with_details(LinePayoutDetails { payout_id: payout_id.into() }),
            Failure::LineNotPending(status) => line_not_pending(status),
            Failure::PartnerMismatch => Self::new(
                ErrorCode::PartnerMismatch,
                "The payout is of another partner than the line.",
            )
            .with_details(json!({})),
            Failure::CurrencyMismatch { payout, line } => Self::new(
                ErrorCode::CurrencyMismatch,
                format!(
                    "The payout is in {payout}, the line in {line}. A payout has one currency."
                ),
            )
            .with_details(json!({})),
            Failure::PayoutLocked { stage } => payout_locked(&stage),
            Failure::NoCommissionLines => Self::new(
                ErrorCode::NoCommissionLines,
                "The payout has no commission lines, so there is nothing to print.",
            )
            .with_details(json!({})),
            Failure::NoBillingInfo(missing) => no_billing_info(&missing),
            Failure::StatementTooLarge { lines, limit } => statement_too_large(lines, limit),
            Failure::IdempotencyInProgress => Self::new(
                ErrorCode::IdempotencyInProgress,
                "Another request with this idempotency-key is still running. \
                 Send this one again in a moment.",
            ),
            failure @ (Failure::TooLate(_)
            | Failure::QueueFull(_)
            | Failure::Overloaded(_)
            | Failure::StorageUnavailable(_)
            | Failure::Unavailable(_)
            | Failure::Admission(_)) => unavailable().with_cause(failure),
            failure @ (Failure::NotAdmitted | Failure::Database(_) | Failure::Internal(_)) => {
                Self::internal().with_cause(failure)
            }
        }
    }
}

fn invalid_stage_transition(transition: &InvalidTransition) -> Problem {
    /// Far longer than the name of any stage; the request may have sent 64 KiB.
    const SHOWN_CHARACTERS: usize = 64;
    let InvalidTransition { from, to } = transition;
    let allowed = transition.allowed();
    let shown = to.char_indices().nth(SHOWN_CHARACTERS);
    let to = shown.map_or_else(|| to.clone(), |(end, _)| format!("{}…", &to[..end]));
    let message =
        format!("A payout in {from} cannot move to {to}. It can move to {}.", allowed.join(", "));
    let allowed = allowed.into_iter().map(types::PayoutStage::new).collect();
    let details = StageTransitionDetails { stage: types::PayoutStage::new(from.as_str()), allowed };
    Problem::new(ErrorCode::InvalidStageTransition, message).with_details(details)
}

fn no_billing_info(missing: &[MissingBilling]) -> Problem {
    let parts: Vec<&str> = missing.iter().map(|missing| missing.part).collect();
    let message = format!(
        "The organisation's commission billing information is incomplete: {}. \
         Complete it in the app.",
        parts.join(", ")
    );
    let missing = missing.iter().flat_map(|missing| missing.fields);
    let missing = missing.map(|field| (*field).to_owned()).collect();
    Problem::new(ErrorCode::NoBillingInfo, message).with_details(MissingBillingDetails { missing })
}

fn line_not_pending(status: CommissionLineStatus) -> Problem {
    let message = format!(
        "The commission line is {status}, so it cannot be attached. Only a PENDING line can."
    );
    Problem::new(ErrorCode::LineNotPending, message).with_details(LineStatusDetails { status })
}

fn statement_too_large(lines: i64, limit: i64) -> Problem {
    let message =
        format!("The payout has {lines} commission lines; a statement prints at most {limit}.");
    let details = StatementSizeDetails { lines, limit };
    Problem::new(ErrorCode::StatementTooLarge, message).with_details(details)
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
