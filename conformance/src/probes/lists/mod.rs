//! Lists (§2.5, R6–R8): every operation that answers with pages. Each page is compared with the
//! list as other requests show it. Filters by a field of the items (R10) are here: their pages have
//! the items of the whole list with this value, and no other.

mod cursors;
mod pages;

use super::prelude::*;
use crate::{
    cases::walk::{LARGEST, List, known, walk},
    document::field_of_items,
};

/// Values that a filter is tried with: an enumeration's, or the most frequent and the rarest.
const VALUES: usize = 4;
/// Pages of each: most lists then have a page that is neither the first nor the last.
const PAGES: usize = 6;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.is_list() {
        pages::derive(subject, probes);
        cursors::derive(subject, probes);
        filters(subject, probes);
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

fn filters(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for parameter in subject.parameters(Location::Query) {
        let name = parameter.name.as_str();
        let Some(field) = field_of_items(subject.operation, name) else { continue };
        let case_name = format!("filter.{}.only", kebab(name));
        let clause = subject.clause_of(name, "R9");
        let case = subject.case(&case_name, clause, async move |subject, context| {
            shows_only(subject, context, name, &field).await
        });
        let case = case.says(&format!("{{operation}} lists by {name} the items that have it."));
        probes.push(case.requests(48).fault(
            &format!("{{operation}} ignores {name}."),
            subject.keeps_parameters(move |other, _| other != name),
        ));
    }
}

async fn shows_only(
    subject: &'static Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    field: &str,
) -> CaseResult {
    let whole = known(context, subject.list()).await?;
    let mut values = whole.values(field);
    // A filter shows nothing where every item has the value.
    CaseOutcome::missing_if(values.len() < 2, format!("items of two values of {name}"))?;
    let options = subject.shape(name).map(|shape| shape.options().to_vec()).unwrap_or_default();
    if !options.is_empty() {
        values = options.iter().map(as_text).collect();
    } else if values.len() > VALUES {
        values.drain(VALUES - 1..values.len() - 1);
    }
    for value in values {
        let expected = whole.chosen(|item| item.pointer(field) == Some(&json!(value)));
        let request = subject.list().request(&context.all()?).query(name, &value);
        let limit = expected.len().div_ceil(PAGES - 2).clamp(1, LARGEST);
        let walked = walk(context, &request, &[limit; PAGES]).await?;
        walked.that(
            whole.has_selection(context, &expected, &walked.ids(), walked.is_whole),
            &format!("{name}={value} does not list the items of the whole list with it."),
            &expected.join(" "),
            &walked.ids().join(" "),
        )?;
    }
    if subject.shape(name).is_some_and(|shape| shape.keyword("x-known-values").is_some()) {
        // Nothing has another value of an open set.
        let request = subject.list().request(&context.all()?).query(name, UNKNOWN_ID);
        context.ok(request).await?.has("/data", Value::Array(Vec::new()))?;
    }
    Ok(())
}
