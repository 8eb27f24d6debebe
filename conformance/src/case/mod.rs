//! Cases: one behaviour each, with the clause it proves, what it needs and what it changes.

pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod definition;
pub(crate) mod errors;
pub(crate) mod recorder;

pub(crate) use crate::verdict::{CaseOutcome, CaseResult, ended};
pub(crate) use context::CaseContext;
pub(crate) use definition::{Case, Changes, Registered, Run};
