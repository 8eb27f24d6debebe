//! The length of a page (§4.1, §4.4, §8, R6), where the list is known to be longer.

use crate::cases::prelude::*;
use crate::cases::walk::{LARGEST, LINES, List, PARTNERS, ids, next_cursor};

/// Items of a page where no limit is given.
const DEFAULT: usize = 25;

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("listCommissionLines");
    { "lists.partners-limit" "§4.1.limit" retry(limit, PARTNERS)
      "A page of partners has as many items as limit says, as long as there are that many."
      .on("listPartners") }
    { "lists.lines-limit" "§4.4.limit" retry(limit, LINES)
      "A page of lines has as many items as limit says, as long as there are that many." }
    { "lists.partners-limit-outside" "§4.1.limit" run(outside, PARTNERS)
      "A limit of partners outside 1 to 100 is rejected." .on("listPartners") }
    { "lists.lines-limit-outside" "§4.4.limit" run(outside, LINES)
      "A limit of lines outside 1 to 100 is rejected." }
    { "lists.partners-limit-form" "R6" run(form, PARTNERS)
      "A limit of partners that is not a plain whole number is rejected."
      .on("listPartners").requests(16) }
    { "lists.lines-limit-form" "R6" run(form, LINES)
      "A limit of lines that is not a plain whole number is rejected." .requests(16) }
    { "lists.partners-default-limit" "R6" retry(default, PARTNERS)
      "Without a limit, a page has 25 partners." .on("listPartners") }
    { "lists.lines-default-limit" "§4.4.limit" retry(default, LINES)
      "Without a limit, a page has 25 lines." }
    { "lists.lines-default-limit-filtered" "§4.4.limit" run(default_filtered)
      "Without a limit, a page of a payout's lines has 25 lines."
      .fixtures(&[Fixture::PayoutOfManyLines]) }
};

async fn limit(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let key = context.all()?;
    let whole = page(context, list, Some(LARGEST)).await?;
    CaseOutcome::missing_if(whole.items().len() < 2, format!("two {}", list.what))?;
    // One less, the same and one more than there are: the limit or the list ends the page.
    let count = whole.items().len();
    for limit in [1, 2, count - 1, count, (count + 1).min(LARGEST)] {
        let request = list.request(&key).query("limit", &limit.to_string());
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
        request = request.query("limit", &limit.to_string());
    }
    let page = context.send(request).await?;
    next_cursor(&page)?;
    Ok(page)
}

async fn outside(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let key = context.all()?;
    let request = |limit: &str| list.request(&key).query("limit", limit);
    for (limit, control, code) in
        [("0", "1", "TOO_SMALL"), ("101", "100", "TOO_LARGE"), ("1000", "100", "TOO_LARGE")]
    {
        let response = context.refused(request(limit), request(control)).await?;
        if context.with_decisions() {
            context.is_violation(&response, &[&format!("query /limit {code}")])?;
        } else {
            // The specification does not say how; but no page is longer, and none has 0 items.
            response.that(
                !response.is_success() || (limit != "0" && response.items().len() <= LARGEST),
                "A limit outside 1 to 100 was accepted.",
                "a rejection, or a page of 1 to 100 items",
                &format!("{}, {} items", response.status_line(), response.items().len()),
            )?;
        }
    }
    Ok(())
}

/// What a lenient parser takes for a number, and what none does.
const NOT_NUMBERS: [&str; 11] =
    ["-1", "01", "1e1", "+1", " 1", "1 ", "", "text", "1.0", "0x1", "١"];

async fn form(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let key = context.all()?;
    context.given(list.request(&key).query("limit", "1")).await?;
    for limit in NOT_NUMBERS {
        let response = context.send(list.request(&key).query("limit", limit)).await?;
        is_about_limit(context, &response, limit)?;
    }
    // Only an ampersand separates parameters.
    let path = format!("{}?limit=1;limit=1", list.path);
    let response = context.send(Request::get(path).with(&key)).await?;
    is_about_limit(context, &response, "1;limit=1")?;
    let huge = "99999999999999999999999999";
    let response = context.send(list.request(&key).query("limit", huge)).await?;
    is_about_limit(context, &response, huge)
}

fn is_about_limit(context: &CaseContext<'_>, response: &Response, limit: &str) -> CaseResult {
    context.is_error(response, VALIDATION_FAILED)?;
    // The code depends on how the value is read; the parameter does not.
    let issues = response.at("/error/details/issues");
    let is_one = issues.as_array().is_some_and(|issues| issues.len() == 1)
        && issues[0]["in"] == "query"
        && issues[0]["path"] == "/limit";
    response.that(
        is_one,
        &format!("details.issues does not report limit {limit:?}."),
        "one issue in query at /limit",
        &issues.to_string(),
    )
}

async fn default(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let longer = page(context, list, Some(DEFAULT + 1)).await?;
    CaseOutcome::missing_if(
        longer.items().len() <= DEFAULT,
        format!("more than 25 {}", list.what),
    )?;
    let first = page(context, list, None).await?;
    let expected = &ids(longer.items())[..DEFAULT];
    first.that(
        ids(first.items()) == expected,
        "Without a limit, a page does not hold the first 25 items.",
        &format!("25 items: {}", expected.join(" ")),
        &format!("{} items: {}", first.items().len(), ids(first.items()).join(" ")),
    )?;
    let cursor = next_cursor(&first)?.unwrap_or_default();
    let request = list.request(&context.all()?).query("cursor", &cursor);
    let second = context.send(request).await?;
    let is_last = next_cursor(&second)?.is_none();
    let count = second.items().len();
    second.that(
        count == DEFAULT || (is_last && (1..DEFAULT).contains(&count)),
        "Without a limit, the second page has another length.",
        "25 items, or fewer on the last page",
        &count.to_string(),
    )?;
    second.has("/data/0/id", longer.text(&format!("/data/{DEFAULT}/id")))?;
    if context.judges("R8") { after_shorter_page(context, list).await } else { Ok(()) }
}

async fn default_filtered(context: &mut CaseContext<'_>) -> CaseResult {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let request = LINES.request(&context.all()?).query("payoutId", &payout);
    let longer = request.clone().query("limit", &(DEFAULT + 1).to_string());
    CaseOutcome::missing_if(
        context.given(longer).await?.items().len() <= DEFAULT,
        "a payout_of_many_lines with more than 25",
    )?;
    let page = context.ok(request).await?;
    page.that(
        page.items().len() == DEFAULT,
        "Without a limit, a page of a payout's lines has another length.",
        "25 items",
        &page.items().len().to_string(),
    )
}

/// That a page without a limit has the default length, whatever the limit of the one before it.
async fn after_shorter_page(context: &mut CaseContext<'_>, list: List) -> CaseResult {
    let short = page(context, list, Some(1)).await?;
    let cursor = next_cursor(&short)?.unwrap_or_default();
    let request = list.request(&context.all()?).query("cursor", &cursor);
    let next = context.ok(request).await?;
    next.that(
        next.items().len() == DEFAULT,
        "Without a limit, the page after a page of one item has another length.",
        "25 items",
        &next.items().len().to_string(),
    )
}
