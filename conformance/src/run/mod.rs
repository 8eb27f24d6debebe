//! A run: which cases run, in which order, and how each ends.
//!
//! | file | contents |
//! |---|---|
//! | [`discovery`] | fixtures that are found through the API |
//! | [`plan`] | which cases run, and why the others do not |
//! | [`runner`] | runs them |
//! | [`case_report`] | the end of a case as data |
//! | [`coverage`] | what of the document was seen |

pub(crate) mod case_report;
pub(crate) mod coverage;
pub(crate) mod discovery;
pub(crate) mod plan;
pub(crate) mod runner;
