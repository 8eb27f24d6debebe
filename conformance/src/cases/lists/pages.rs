//! All pages together are the list: each item once, in one order (§2.5, §4.1, §4.4, R7, R8).

use crate::cases::prelude::*;
use crate::cases::walk::{
    LARGEST, LINES, List, PARTNERS, Walk, first_cursor, ids, known, pages_of, walk,
};

/// Pages that a walk takes at most.
const PAGES: usize = 16;

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("listCommissionLines");
    { "lists.partners-pages" "§4.1.cursor" retry(pages, PARTNERS)
      "Pages of any length together are the whole list of partners, each item once."
      .on("listPartners").requests(40) }
    { "lists.lines-pages" "§4.4.cursor" retry(pages, LINES)
      "Pages of any length together are the whole list of lines, each item once." .requests(60) }
    { "lists.partners-limit-changes" "R8" retry(limit_changes, PARTNERS)
      "limit may change between pages of partners." .on("listPartners").requests(16) }
    { "lists.lines-limit-changes" "R8" retry(limit_changes, LINES)
      "limit may change between pages of lines." .requests(16) }
    { "lists.partners-exact-multiple" "§2.5.nextCursor" retry(exact_multiple, PARTNERS)
      "Where the last page of partners is full, its nextCursor is null."
      .on("listPartners").requests(24) }
    { "lists.lines-exact-multiple" "§2.5.nextCursor" retry(exact_multiple, LINES)
      "Where the last page of lines is full, its nextCursor is null." .requests(28) }
    { "lists.lines-exact-page" "§2.5.nextCursor" retry(exact_page)
      "Where a page holds all lines of a payout, its nextCursor is null."
      .fixtures(&[Fixture::PayoutOfManyLines]) }
    { "lists.partners-order" "R7" retry(order, PARTNERS)
      "Partners are listed by createdAt descending, then by id descending." .on("listPartners") }
    { "lists.lines-order" "R7" retry(order, LINES)
      "Lines are listed by createdAt descending, then by id descending." }
    { "lists.partners-page-again" "§4.1.cursor" retry(page_again, PARTNERS)
      "A cursor of partners leads to the same page each time." .on("listPartners") }
    { "lists.lines-page-again" "§4.4.cursor" retry(page_again, LINES)
      "A cursor of lines leads to the same page each time." }
};

/// That both lists have the same items, as far as both were read.
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

async fn pages(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let whole = known(context, list).await?;
    CaseOutcome::missing_if(whole.items.len() < 2, format!("two {}", list.what))?;
    let request = list.request(&context.all()?);
    for (limit, pages) in [(17, PAGES), (7, PAGES), (1, 6)] {
        let walked = walk(context, &request, &pages_of(limit, pages)).await?;
        same(
            &whole,
            &walked,
            &format!("Pages of {limit} items show another list than pages of {LARGEST}."),
        )?;
    }
    Ok(())
}

async fn limit_changes(context: &mut CaseContext<'_>, list: List) -> CaseResult {
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

async fn exact_multiple(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let key = context.all()?;
    let mut request = list.request(&key);
    let mut whole = known(context, list).await?;
    if list.path == LINES.path && (!whole.is_whole || divisor(whole.items.len()).is_none()) {
        // One status has fewer lines.
        request = request.query("status", "EXPECTED");
        whole = walk(context, &request, &pages_of(LARGEST, 4)).await?;
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
        let walked = walk(context, &request, &pages_of(limit, pages)).await?;
        same(&whole, &walked, "Full pages show another list.")?;
        if !walked.is_whole || walked.pages != pages_of(limit, pages) {
            return Err(walked.failed(
                "The last page is full, and its nextCursor is not null.",
                format!("{pages} pages of {limit} items, then null"),
                format!("pages of {:?} items, then a cursor", walked.pages),
            ));
        }
    }
    Ok(())
}

async fn exact_page(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let request = LINES.request(&context.all()?).query("payoutId", &payout);
    let whole = walk(context, &request, &pages_of(LARGEST, 1)).await?;
    let count = whole.items.len();
    CaseOutcome::missing_if(
        !whole.is_whole || count < 2,
        "a payout_of_many_lines with 2 to 100 lines",
    )?;
    let one = walk(context, &request, &[count]).await?;
    let two = walk(context, &request, &[count - 1, count - 1]).await?;
    same(&whole, &one, "A full page shows other lines.")?;
    same(&whole, &two, "Two pages show other lines than one.")?;
    for (walked, expected) in [(one, vec![count]), (two, vec![count - 1, 1])] {
        if !walked.is_whole || walked.pages != expected {
            return Err(walked.failed(
                "A list does not end where its items end.",
                format!("pages of {expected:?} items, then null"),
                format!("pages of {:?} items", walked.pages),
            ));
        }
    }
    Ok(())
}

async fn order(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    known(context, list).await?.is_in_order()
}

async fn page_again(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let request = list.request(&context.all()?).query("limit", "2");
    let (first, cursor) = first_cursor(context, request.clone(), list.what).await?;
    let request = request.query("cursor", &cursor);
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
