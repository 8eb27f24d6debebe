//! Cases: one behaviour each, with the clause it proves, what it needs and what it changes.
//!
//! | file | owns |
//! |---|---|
//! | [`definition`] | what a case is |
//! | [`context`] | what a case works with: requests, keys, fixtures |
//! | [`outcome`] | how a case ends early |
//! | [`check`] | assertions about a response |
//! | [`control`] | rejections, each with a positive control |
//! | [`recorder`] | which responses are compared with snapshots |

pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod definition;
pub(crate) mod outcome;
pub(crate) mod recorder;

pub(crate) use check::{
    API_CREDITS_EXHAUSTED, INSUFFICIENT_SCOPE, INVALID_CURSOR, INVALID_JSON, INVALID_REFERENCE,
    LINE_NOT_IN_PAYOUT, METHOD_NOT_ALLOWED, NO_BILLING_INFO, NO_COMMISSION_LINES, NOT_FOUND,
    PAYLOAD_TOO_LARGE, RATE_LIMITED, UNAUTHORIZED, UNSUPPORTED_API_VERSION, UNSUPPORTED_MEDIA_TYPE,
    VALIDATION_FAILED,
};
pub(crate) use context::CaseContext;
pub(crate) use definition::{Case, Changes, Running};
pub(crate) use outcome::{CaseOutcome, CaseResult};
