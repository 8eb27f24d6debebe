//! Lists (§2.5, R6–R8): every operation that answers with pages. Each page is compared with the
//! list as other requests show it.

mod cursors;
mod limits;
mod pages;

use payout_openapi::Location;

use super::subject::Subject;
use crate::{
    case::{Case, CaseContext, CaseResult},
    cases::walk::List,
    document::DOCUMENT,
    isolation::retry,
};

const LIMIT: &str = "limit";

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    if subject.is_list() {
        limits::derive(subject, cases);
        pages::derive(subject, cases);
        cursors::derive(subject, cases);
    }
}

impl Subject {
    pub(super) fn is_list(&self) -> bool {
        let success = self.operation.response(200);
        let media = success.and_then(|response| response.content.first());
        let shape = media.and_then(|media| DOCUMENT.shape(media.schema_pointer.as_ref()?).ok());
        shape.is_some_and(|shape| shape.properties.iter().any(|(name, _)| name == "pagination"))
    }

    pub(super) fn list(&'static self) -> List {
        List { path: &self.operation.path, what: "items" }
    }

    /// The largest page, and the length of one without a limit.
    fn page_lengths(&self) -> (usize, usize) {
        let limit = self.parameters(Location::Query).find(|parameter| parameter.name == LIMIT);
        let pointer = limit.and_then(|limit| limit.schema_pointer.as_ref());
        let shape = pointer.and_then(|pointer| DOCUMENT.shape(pointer).ok());
        let number = |name| shape.as_ref().and_then(|shape| shape.number(name));
        let number = |name, other| usize::try_from(number(name).unwrap_or(other));
        (number("maximum", 100).unwrap_or(100), number("default", 25).unwrap_or(25))
    }
}

/// A case about a list that another client may change between two responses: it is tried again.
fn retried<F>(
    subject: &'static Subject,
    name: &str,
    clause: &'static str,
    sentence: String,
    check: F,
) -> Case
where
    F: AsyncFn(&mut CaseContext<'_>) -> CaseResult + Send + Sync + 'static,
{
    subject.case(name, clause, sentence, async move |context| retry(context, &check).await)
}
