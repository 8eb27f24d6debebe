//! A run: which cases run, in which order, and how each ends.

pub(crate) mod case_report;
pub(crate) mod coverage;
pub(crate) mod discovery;
pub(crate) mod plan;
pub(crate) mod profile;
pub(crate) mod runner;
