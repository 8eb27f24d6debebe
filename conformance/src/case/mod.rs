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

pub mod check;
pub mod context;
pub mod control;
pub mod definition;
pub mod outcome;
pub mod recorder;

pub use context::CaseContext;
pub use definition::{Case, Changes, Running};
pub use outcome::CaseOutcome;
pub use outcome::CaseResult;
