//! A run: which cases, in which order, at which pace, and what becomes of each.
//!
//! | file | owns |
//! |---|---|
//! | [`deployment`] | what all cases of a run share |
//! | [`pace`] | how fast requests may leave |
//! | [`budget`] | how much may be asked |
//! | [`fixtures`] | what the target names, and what is found through the API |
//! | [`coverage`] | what of the document was exercised |
//! | [`intent`] | what a case is about to change, told to the journal |
//! | [`plan`] | which cases run, and why the others do not |
//! | [`runner`] | the run itself |
//! | [`tell`] | a case's end as data |

pub mod budget;
pub mod case_report;
pub mod coverage;
pub mod deployment;
pub mod fixtures;
pub mod intent;
pub mod pace;
pub mod plan;
pub mod runner;
#[cfg(test)]
pub(crate) mod stub;

pub use deployment::Deployment;
pub use plan::{Choice, Estimate, Planned};
pub use runner::{Progress, run_cases};
