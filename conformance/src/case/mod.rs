//! Cases: one behaviour each, with the clause it proves, what it needs and what it changes.
//!
//! | file | owns |
//! |---|---|
//! | [`definition`] | what a case is |
//! | [`context`] | what a case works with: requests, keys, fixtures |
//! | [`stop`] | how a case ends before its end |
//! | [`check`] | expectations about an response |
//! | [`control`] | refusals, each with a control that must succeed |
//! | [`snapshot`] | which responses are held against snapshots |

pub mod check;
pub mod context;
pub mod control;
pub mod definition;
pub mod outcome;
pub mod recorder;

pub use context::CaseContext;
pub use definition::{Case, Changes, Running};
pub use outcome::CaseOutcome;
