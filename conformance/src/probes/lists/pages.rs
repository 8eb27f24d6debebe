//! Pages: their length (§4.1, §4.4, §8, R6), and that all of them together are the list, each item
//! once, in one order (§2.5, R7, R8).

use crate::{
    cases::walk::{LARGEST, List, Walk, first_cursor, ids, known, next_cursor, walk},
    probes::prelude::*,
};

/// Pages that a walk takes at most.
const PAGES: usize = 16;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    lengths(subject, probes);
    let cursor = subject.clause_of(CURSOR, "§2.5.nextCursor");
    let edits_items =
        |edit: fn(&mut Vec<Value>)| subject.edits(move |_, response| response.edit_items(edit));
    probes.extend([
        subject
            .case("page.all", cursor, pages)
            .says("Pages of any length together are the whole list of {operation}, each item once.")
            .requests(60)
            .fault(
                "{operation} leaves out an item of each page.",
                edits_items(|items| items.truncate(items.len().saturating_sub(1).max(1))),
            ),
        subject
            .case("page.limit-changes", "R8", limit_changes)
            .says("limit may change between the pages of {operation}.")
            .requests(16)
            .shares_fault_of("page.all"),
        subject
            .case("page.last-is-full", "§2.5.nextCursor", exact_multiple)
            .says("Where the last page of {operation} is full, its nextCursor is null.")
            .requests(40)
            .fault_by_hand("next-cursor-at-exact-multiple"),
        subject
            .case("page.order", "R7", order)
            .says("{operation} lists by createdAt descending, then by id descending.")
            .fault("{operation} lists each page backwards.", edits_items(|items| items.reverse())),
        subject
            .case("page.again", cursor, page_again)
            .says("A cursor of {operation} leads to the same page each time.")
            .fault_by_hand("ties-lost-between-pages"),
    ]);
}

/// Requires that both lists have the same items, as far as both were read.
fn same(one: &Walk, other: &Walk, what: &str) -> CaseResult {
    let (expected, shown) = (one.ids(), other.ids());
    let shorter = expected.len().min(shown.len());
    let first = (0..shorter).find(|index| expected[*index] != shown[*index]);
    if let Some(index) = first {
        return Err(other.failed(
            what,
            format!("{} as item {}", expected[index], index + 1),
            shown[index],
        ));
    }
    let mut both = one.items.iter().zip(&other.items);
    if let Some((expected, shown)) = both.find(|(expected, shown)| expected != shown) {
        return Err(other.failed(what, expected.to_string(), shown.to_string()));
    }
    // A list that was read to its end is not shorter than another one.
    let is_too_short = (other.is_whole && shown.len() < expected.len())
        || (one.is_whole && expected.len() < shown.len());
    if is_too_short {
        return Err(other.failed(
            what,
            format!("{} items", expected.len()),
            format!("{} items", shown.len()),
        ));
    }
    Ok(())
}

async fn pages(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    let whole = known(context, list).await?;
    CaseOutcome::missing_if(whole.items.len() < 2, format!("two {}", list.what))?;
    let request = list.request(&context.all()?);
    for (limit, pages) in [(17, PAGES), (7, PAGES), (1, 6)] {
        let walked = walk(context, &request, &vec![limit; pages]).await?;
        same(
            &whole,
            &walked,
            &format!("Pages of {limit} items show another list than pages of {LARGEST}."),
        )?;
    }
    Ok(())
}

async fn limit_changes(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    let whole = known(context, list).await?;
    let request = list.request(&context.all()?);
    const LIMITS: [usize; 8] = [1, 4, 2, 9, 3, 30, 100, 100];
    let walked = walk(context, &request, &LIMITS).await?;
    CaseOutcome::missing_if(walked.pages.len() < 3, format!("more {}", list.what))?;
    // The last page may be shorter.
    let full = walked.pages.len() - 1;
    if walked.pages[..full] != LIMITS[..full] {
        return Err(walked.failed(
            "A page has another length than its own limit says.",
            format!("pages of {:?} items", &LIMITS[..full]),
            format!("pages of {:?} items", walked.pages),
        ));
    }
    same(&whole, &walked, "Pages of changing limits show another list.")
}

/// The largest limit that divides a count into not too many pages.
fn divisor(count: usize) -> Option<usize> {
    let limits = 1..=LARGEST.min(count);
    let mut limits = limits.rev().filter(|limit| *limit < count);
    limits.find(|limit| count.is_multiple_of(*limit) && count / limit <= PAGES)
}

async fn exact_multiple(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (list, filters) = (subject.list(), subject.filters(context));
    let key = context.all()?;
    let mut request = list.request(&key);
    let mut whole = known(context, list).await?;
    // A filter shows fewer items.
    for (name, value) in &filters {
        if whole.is_whole && divisor(whole.items.len()).is_some() {
            break;
        }
        request = list.request(&key).query(name, value);
        whole = walk(context, &request, &[LARGEST; 4]).await?;
    }
    let count = whole.items.len();
    let Some(limit) = divisor(count).filter(|_| whole.is_whole) else {
        return Err(CaseOutcome::missing(format!(
            "{} whose number can be divided into full pages",
            list.what
        )));
    };
    let mut limits = vec![limit];
    if count <= LARGEST {
        // One page holds all.
        limits.push(count);
    }
    for limit in limits {
        let pages = count / limit;
        let walked = walk(context, &request, &vec![limit; pages]).await?;
        same(&whole, &walked, "Full pages show another list.")?;
        if !walked.is_whole || walked.pages != vec![limit; pages] {
            return Err(walked.failed(
                "The last page is full, and its nextCursor is not null.",
                format!("{pages} pages of {limit} items, then null"),
                format!("pages of {:?} items, then a cursor", walked.pages),
            ));
        }
    }
    Ok(())
}

async fn order(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    known(context, list).await?.is_in_order()
}

async fn page_again(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    let request = list.request(&context.all()?).query(LIMIT, "2");
    let (first, cursor) = first_cursor(context, request.clone(), list.what).await?;
    let request = request.query(CURSOR, &cursor);
    let once = context.send(request.clone()).await?;
    let again = context.send(request).await?;
    context.snapshot(&first);
    context.snapshot(&once);
    again.is(200)?.that(
        ids(again.items()) == ids(once.items()) && ids(once.items()) != ids(first.items()),
        "A cursor led to different pages, or to the first.",
        &ids(once.items()).join(" "),
        &ids(again.items()).join(" "),
    )
}

fn lengths(subject: &'static Subject, probes: &mut Vec<Probe>) {
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
        // The specification leaves the form of this answer to a decision.
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
