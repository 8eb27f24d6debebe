//! Cases: one behaviour each, with the clause it proves, what it needs and what it changes.
//!
//! | file | owns |
//! |---|---|
//! | [`definition`] | what a case is |
//! | [`context`] | what a case works with: requests, keys, fixtures |
//! | [`outcome`] | how a case ends early |
//! | [`check`] | assertions about a response |
//! | [`errors`] | the errors of the API |
//! | [`control`] | rejections, each with a positive control |
//! | [`recorder`] | which responses are compared with snapshots |

pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod definition;
pub(crate) mod errors;
pub(crate) mod outcome;
pub(crate) mod recorder;

pub(crate) use context::CaseContext;
pub(crate) use definition::{Case, Changes, Running};
pub(crate) use outcome::{CaseOutcome, CaseResult};
