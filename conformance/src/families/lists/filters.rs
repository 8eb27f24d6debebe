//! Filters by a field of the items (R10): every page has the items of the whole list with this
//! value, and no other.

use payout_faults::{is_field_of_items, kebab};
use payout_openapi::Location;
use serde_json::Value;

use super::{Subject, pages::same, retried};
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult},
    cases::walk::{LARGEST, Walk, known, pages_of, walk},
};

/// Values that a filter is tried with, the most frequent first.
const VALUES: usize = 3;
/// Pages of each: most lists then have a page that is neither the first nor the last.
const PAGES: usize = 6;

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    for parameter in subject.parameters(Location::Query) {
        let name = parameter.name.as_str();
        if !is_field_of_items(subject.operation, name) {
            continue;
        }
        let case_name = format!("filter.{}.only", kebab(name));
        let clause = subject.clause_of(name, "R9");
        let case = retried(subject, &case_name, clause, async move |subject, context| {
            shows_only(subject, context, name).await
        });
        // Both lists are compared in the order of R7.
        let case = case.says(&format!("{{operation}} lists by {name} the items that have it."));
        cases.push(case.by_decision().requests(48));
    }
}

async fn shows_only(
    subject: &'static Subject,
    context: &mut CaseContext<'_>,
    name: &str,
) -> CaseResult {
    let whole = known(context, subject.list()).await?;
    let values = most_frequent(&whole, name);
    CaseOutcome::missing_if(values.len() < 2, format!("items of two values of {name}"))?;
    for value in values.into_iter().take(VALUES) {
        let items: Vec<Value> =
            whole.items.iter().filter(|item| item[name] == value).cloned().collect();
        let request = subject.list().request(&context.all()?).query(name, &value);
        let limit = items.len().div_ceil(PAGES - 2).clamp(1, LARGEST);
        let walked = walk(context, &request, &pages_of(limit, PAGES)).await?;
        let expected = Walk { items, ..whole.clone() };
        let what = format!("{name}={value} does not list the items of the whole list with it.");
        same(&expected, &walked, &what)?;
    }
    Ok(())
}

fn most_frequent(whole: &Walk, name: &str) -> Vec<String> {
    let all: Vec<&str> = whole.items.iter().filter_map(|item| item[name].as_str()).collect();
    let mut values: Vec<String> = all.iter().map(|value| (*value).to_owned()).collect();
    values.sort_unstable();
    values.dedup();
    let count = |value: &String| all.iter().filter(|other| *other == value).count();
    values.sort_by_key(|value| std::cmp::Reverse(count(value)));
    values
}
