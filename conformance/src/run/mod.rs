//! A run: which cases, in which order, at which pace, and what becomes of each.
//!
//! | file | owns |
//! |---|---|
//! | [`deployment`] | what all cases of a run share |
//! | [`pace`] | how fast requests may leave |
//! | [`fixtures`] | what the target names, and what is found through the API |
//! | [`coverage`] | what of the document was exercised |
//! | [`plan`] | which cases run, and why the others do not |
//! | [`mod@conduct`] | the run itself |
//! | [`tell`] | a case's end as data |

pub mod conduct;
pub mod coverage;
pub mod deployment;
pub mod fixtures;
pub mod pace;
pub mod plan;
pub mod tell;

pub use conduct::{Progress, conduct};
pub use deployment::Deployment;
pub use plan::{Choice, Planned};
