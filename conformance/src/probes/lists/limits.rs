//! The length of a page (§4.1, §4.4, §8, R6), where the list is known to be longer.

use super::Subject;
use crate::{
    case::{CaseContext, CaseOutcome, CaseResult},
    cases::walk::{List, ids, next_cursor},
    exchange::Response,
    probes::{
        probe::Probe,
        subject::{CURSOR, LIMIT},
    },
};

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let clause = subject.clause_of(LIMIT, "R6");
    let sets = |limit: &'static str, is_meant: fn(Option<&str>) -> bool| {
        subject.rewrites(move |request| {
            if is_meant(request.parameter(LIMIT).as_deref()) {
                *request = request.with_parameter(LIMIT, limit);
            }
        })
    };
    probes.extend([
        subject
            .case("page.limit", clause, limit)
            .says("A page of {operation} has as many items as limit says, as far as there are any.")
            .fault("{operation} ignores limit.", subject.keeps_parameters(|name, _| name != LIMIT)),
        subject
            .case("page.limit-outside", clause, outside)
            .says("No page of {operation} is longer than the largest limit.")
            .fault("{operation} takes limit=0 for limit=1.", sets("1", |limit| limit == Some("0"))),
        subject
            .case("page.default-limit", clause, default)
            .says("A page of {operation} without a limit has the document's default length.")
            .by_decision()
            .fault("{operation} has another default limit.", sets("20", |limit| limit.is_none())),
    ]);
}

async fn limit(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (list, (largest, _)) = (subject.list(), subject.page_lengths());
    let key = context.all()?;
    let whole = page(context, list, Some(largest)).await?;
    CaseOutcome::missing_if(whole.items().len() < 2, format!("two {}", list.what))?;
    // One less, the same and one more than there are: the limit or the list ends the page.
    let count = whole.items().len();
    for limit in [1, 2, count - 1, count, (count + 1).min(largest)] {
        let request = list.request(&key).query(LIMIT, &limit.to_string());
        let page = context.send(request).await?;
        next_cursor(&page)?;
        let expected: Vec<&str> = ids(whole.items()).into_iter().take(limit).collect();
        page.that(
            ids(page.items()) == expected,
            "A page does not hold the first items of its list, as many as its limit.",
            &format!("{} items: {}", expected.len(), expected.join(" ")),
            &format!("{} items: {}", page.items().len(), ids(page.items()).join(" ")),
        )?;
        let is_more = !page.at("/pagination/nextCursor").is_null();
        page.that(
            is_more || limit >= count,
            "nextCursor is null although there is a further page.",
            "a cursor",
            "null",
        )?;
    }
    Ok(())
}

async fn page(
    context: &mut CaseContext<'_>,
    list: List,
    limit: Option<usize>,
) -> CaseResult<Response> {
    let mut request = list.request(&context.all()?);
    if let Some(limit) = limit {
        request = request.query(LIMIT, &limit.to_string());
    }
    let page = context.send(request).await?;
    next_cursor(&page)?;
    Ok(page)
}

async fn outside(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (largest, _) = subject.page_lengths();
    let list = subject.list().request(&context.all()?);
    for limit in [0, largest + 1, largest * 10] {
        // How a deployment says so is a decision.
        let page = context.send(list.clone().query(LIMIT, &limit.to_string())).await?;
        page.that(
            !page.is_success() || (limit != 0 && page.items().len() <= largest),
            &format!("A limit outside 1 to {largest} was accepted."),
            &format!("a rejection, or a page of 1 to {largest} items"),
            &format!("{}, {} items", page.status_line(), page.items().len()),
        )?;
    }
    Ok(())
}

async fn default(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (list, (_, length)) = (subject.list(), subject.page_lengths());
    let longer = page(context, list, Some(length + 1)).await?;
    CaseOutcome::missing_if(
        longer.items().len() <= length,
        format!("more than {length} {}", list.what),
    )?;
    let first = page(context, list, None).await?;
    let expected = &ids(longer.items())[..length];
    first.that(
        ids(first.items()) == expected,
        "Without a limit, a page does not hold the first items of the list.",
        &format!("{length} items: {}", expected.join(" ")),
        &format!("{} items: {}", first.items().len(), ids(first.items()).join(" ")),
    )?;
    let cursor = next_cursor(&first)?.unwrap_or_default();
    let request = list.request(&context.all()?).query(CURSOR, &cursor);
    let second = context.send(request).await?;
    let is_last = next_cursor(&second)?.is_none();
    let count = second.items().len();
    second.that(
        count == length || (is_last && (1..length).contains(&count)),
        "Without a limit, the second page has another length.",
        &format!("{length} items, or fewer on the last page"),
        &count.to_string(),
    )?;
    second.has("/data/0/id", longer.text(&format!("/data/{length}/id")))?;
    after_shorter_page(context, list, length).await
}

/// Requires that a page without a limit has the default length after a page with a shorter limit.
async fn after_shorter_page(
    context: &mut CaseContext<'_>,
    list: List,
    length: usize,
) -> CaseResult {
    let short = page(context, list, Some(1)).await?;
    let cursor = next_cursor(&short)?.unwrap_or_default();
    let request = list.request(&context.all()?).query(CURSOR, &cursor);
    let next = context.ok(request).await?;
    next.that(
        next.items().len() == length,
        "Without a limit, the page after a page of one item has another length.",
        &format!("{length} items"),
        &next.items().len().to_string(),
    )
}
