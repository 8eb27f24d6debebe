//! The report as JUnit XML: one suite per operation, or per subject if a case is about none.
//!
//! The file is red exactly when the run is: a case that ended as the expectations file says is
//! `skipped` with its comment; one that ended otherwise is a failure, even if it passed. An
//! inconclusive case is an error, because green would claim what is not proved.

use super::{html, model::Report, view};

pub(crate) fn text(report: &Report) -> String {
    view::render(view::environment(html::escape), "junit.xml", view::context(report))
}
