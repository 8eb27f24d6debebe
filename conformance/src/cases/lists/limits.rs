//! How long a page is (§4.1, §4.4, §8, R6).
//!
//! They refuse to count without knowing that there is more.

use super::walk::{LINES, List, PARTNERS, ids, next_cursor};
use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    cases::steady::steady,
    exchange::{Request, Response},
    target::Fixture,
};

/// Items of a page where no limit is given.
const DEFAULT: usize = 25;
const LARGEST: usize = 100;

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "lists.partners-limit",
        "A page of partners has as many items as limit says, while there are as many.",
        "§4.1.limit",
        steady!(limit, PARTNERS),
    )
    .on("listPartners"),
    Case::new(
        "lists.lines-limit",
        "A page of lines has as many items as limit says, while there are as many.",
        "§4.4.limit",
        steady!(limit, LINES),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.partners-limit-outside",
        "A limit of partners outside 1 to 100 is refused.",
        "§4.1.limit",
        |context| Box::pin(outside(context, PARTNERS)),
    )
    .on("listPartners"),
    Case::new(
        "lists.lines-limit-outside",
        "A limit of lines outside 1 to 100 is refused.",
        "§4.4.limit",
        |context| Box::pin(outside(context, LINES)),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.partners-limit-form",
        "A limit of partners that is no plain whole number is refused.",
        "R6",
        |context| Box::pin(form(context, PARTNERS)),
    )
    .on("listPartners")
    .requests(16),
    Case::new(
        "lists.lines-limit-form",
        "A limit of lines that is no plain whole number is refused.",
        "R6",
        |context| Box::pin(form(context, LINES)),
    )
    .on("listCommissionLines")
    .requests(16),
    Case::new(
        "lists.partners-default-limit",
        "Without a limit, a page has 25 partners.",
        "R6",
        steady!(default, PARTNERS),
    )
    .on("listPartners"),
    Case::new(
        "lists.lines-default-limit",
        "Without a limit, a page has 25 lines.",
        "§4.4.limit",
        steady!(default, LINES),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-default-limit-filtered",
        "Without a limit, a page of a payout's lines has 25 lines.",
        "§4.4.limit",
        runs!(default_filtered),
    )
    .on("listCommissionLines")
    .fixtures(&[Fixture::PayoutOfManyLines]),
];

async fn limit(context: &mut CaseContext<'_>, list: List) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let whole = page(context, list, Some(LARGEST)).await?;
    if whole.items().len() < 2 {
        return Err(CaseOutcome::missing(format!("two {}", list.what)));
    }
    // One less, the same and one more than there is: a page ends by the limit or by the list.
    let there = whole.items().len();
    for limit in [1, 2, there - 1, there, (there + 1).min(LARGEST)] {
        let request = list.request(&key).query("limit", &limit.to_string());
        let page = context.send(request).await?;
        next_cursor(&page)?;
        let expected: Vec<&str> = ids(whole.items()).into_iter().take(limit).collect();
        page.that(
            ids(page.items()) == expected,
            "A page does not hold the first items of its list, as many as its limit.",
            &format!("{} items: {}", expected.len(), expected.join(" ")),
            &format!(
                "{} items: {}",
                page.items().len(),
                ids(page.items()).join(" ")
            ),
        )?;
        let is_more = !page.at("/pagination/nextCursor").is_null();
        page.that(
            is_more || limit >= there,
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
) -> Result<Response, CaseOutcome> {
    let mut request = list.request(&context.all()?);
    if let Some(limit) = limit {
        request = request.query("limit", &limit.to_string());
    }
    let page = context.send(request).await?;
    next_cursor(&page)?;
    Ok(page)
}

async fn outside(context: &mut CaseContext<'_>, list: List) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let request = |limit: &str| list.request(&key).query("limit", limit);
    for (limit, control, code) in [
        ("0", "1", "TOO_SMALL"),
        ("101", "100", "TOO_LARGE"),
        ("1000", "100", "TOO_LARGE"),
    ] {
        let response = context.refused(request(limit), request(control)).await?;
        if context.with_decisions() {
            context.is_violation(&response, &[&format!("query /limit {code}")])?;
        } else {
            // The specification leaves open how; but no page is longer, nor is there one for 0.
            response.that(
                !response.is_success() || (limit != "0" && response.items().len() <= LARGEST),
                "A limit outside 1 to 100 was obeyed.",
                "a refusal, or a page of 1 to 100 items",
                &format!(
                    "{}, {} items",
                    response.status_line(),
                    response.items().len()
                ),
            )?;
        }
    }
    Ok(())
}

/// What a lenient parser takes for a number, and what none does.
const NO_LIMITS: [&str; 11] = [
    "-1", "01", "1e1", "+1", " 1", "1 ", "", "text", "1.0", "0x1", "١",
];

async fn form(context: &mut CaseContext<'_>, list: List) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    context
        .given(list.request(&key).query("limit", "1"))
        .await?;
    for limit in NO_LIMITS {
        let response = context
            .send(list.request(&key).query("limit", limit))
            .await?;
        is_about_limit(context, &response, limit)?;
    }
    // A parameter ends with an ampersand, and with nothing else.
    let path = format!("{}?limit=1;limit=1", list.path);
    let response = context.send(Request::get(path).with(&key)).await?;
    is_about_limit(context, &response, "1;limit=1")?;
    let huge = "99999999999999999999999999";
    let response = context
        .send(list.request(&key).query("limit", huge))
        .await?;
    is_about_limit(context, &response, huge)
}

fn is_about_limit(
    context: &CaseContext<'_>,
    response: &Response,
    limit: &str,
) -> Result<(), CaseOutcome> {
    context.is_error(response, 422, "VALIDATION_FAILED")?;
    // Which of the codes it is depends on how one reads it; that limit is meant does not.
    let issues = response.at("/error/details/issues");
    let is_one = issues.as_array().is_some_and(|issues| issues.len() == 1)
        && issues[0]["in"] == "query"
        && issues[0]["path"] == "/limit";
    response.that(
        is_one,
        &format!("details.issues does not say that limit {limit:?} is wrong."),
        "one issue in query at /limit",
        &issues.to_string(),
    )?;
    Ok(())
}

async fn default(context: &mut CaseContext<'_>, list: List) -> Result<(), CaseOutcome> {
    let longer = page(context, list, Some(DEFAULT + 1)).await?;
    if longer.items().len() <= DEFAULT {
        return Err(CaseOutcome::missing(format!("more than 25 {}", list.what)));
    }
    let first = page(context, list, None).await?;
    let expected = &ids(longer.items())[..DEFAULT];
    first.that(
        ids(first.items()) == expected,
        "Without a limit, a page does not hold the first 25 items.",
        &format!("25 items: {}", expected.join(" ")),
        &format!(
            "{} items: {}",
            first.items().len(),
            ids(first.items()).join(" ")
        ),
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
    after_shorter_page(context, list).await
}

async fn default_filtered(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let payout = context.fixture(Fixture::PayoutOfManyLines)?;
    let request = LINES.request(&context.all()?).query("payoutId", &payout);
    let longer = request.clone().query("limit", &(DEFAULT + 1).to_string());
    if context.given(longer).await?.items().len() <= DEFAULT {
        return Err(CaseOutcome::missing(
            "a payout_of_many_lines with more than 25",
        ));
    }
    let page = context.send(request).await?;
    page.is(200)?.that(
        page.items().len() == DEFAULT,
        "Without a limit, a page of a payout's lines has another length.",
        "25 items",
        &page.items().len().to_string(),
    )?;
    Ok(())
}

/// A page without a limit is as long as any, whatever the one before it was asked for.
async fn after_shorter_page(context: &mut CaseContext<'_>, list: List) -> Result<(), CaseOutcome> {
    let short = page(context, list, Some(1)).await?;
    let cursor = next_cursor(&short)?.unwrap_or_default();
    let request = list.request(&context.all()?).query("cursor", &cursor);
    let next = context.send(request).await?;
    next.is(200)?.that(
        next.items().len() == DEFAULT,
        "Without a limit, the page after one of one item has another length.",
        "25 items",
        &next.items().len().to_string(),
    )?;
    Ok(())
}
