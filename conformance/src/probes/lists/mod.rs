//! Lists (§2.5, R6–R8): every operation that answers with pages. Each page is compared with the
//! list as other requests show it.

mod cursors;
mod filters;
mod limits;
mod pages;

use openapi_document::Location;

use super::{
    probe::Probe,
    subject::{CURSOR, LIMIT, Subject},
};
use crate::cases::walk::List;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.is_list() {
        limits::derive(subject, probes);
        pages::derive(subject, probes);
        cursors::derive(subject, probes);
        filters::derive(subject, probes);
    }
}

impl Subject {
    pub(super) fn is_list(&self) -> bool {
        self.parameters(Location::Query).any(|parameter| parameter.name == CURSOR)
    }

    pub(super) fn list(&'static self) -> List {
        List { path: &self.operation.path, what: "items" }
    }

    /// The largest page, and the length of one without a limit.
    fn page_lengths(&self) -> (usize, usize) {
        let shape = self.shape(LIMIT);
        let number = |name| shape.as_ref().and_then(|shape| shape.number(name));
        let number = |name, other| usize::try_from(number(name).unwrap_or(other));
        (number("maximum", 100).unwrap_or(100), number("default", 25).unwrap_or(25))
    }
}
