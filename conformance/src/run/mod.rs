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
//! | [`mod@conduct`] | the run itself |
//! | [`tell`] | a case's end as data |

pub mod budget;
pub mod conduct;
pub mod coverage;
pub mod deployment;
pub mod fixtures;
pub mod intent;
pub mod pace;
pub mod plan;
#[cfg(test)]
mod stub;
pub mod tell;

pub use conduct::{Progress, conduct};
pub use deployment::Deployment;
pub use plan::{Choice, Estimate, Planned};
