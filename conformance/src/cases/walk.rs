//! The way through a list, page by page.
//!
//! It refuses an envelope of another form, and a cursor that leads to nothing.

use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::{Request, Response},
    secret::Secret,
};

/// One of the two lists.
#[derive(Clone, Copy, Debug)]
pub(in crate::cases) struct List {
    /// Its path.
    pub(in crate::cases) path: &'static str,
    /// What it lists, for people.
    pub(in crate::cases) what: &'static str,
}

/// §4.1.
pub(in crate::cases) const PARTNERS: List = List {
    path: "/api/v1/partners",
    what: "partners",
};
/// §4.4.
pub(in crate::cases) const LINES: List = List {
    path: "/api/v1/commission-lines",
    what: "commission lines",
};

impl List {
    /// A request for its first page.
    pub(in crate::cases) fn request(self, key: &Secret) -> Request {
        Request::get(self.path).with(key)
    }
}

/// The beginning of a list, or all of it.
#[derive(Clone, Debug, Default)]
pub(in crate::cases) struct Walk {
    /// Items, in order.
    pub(in crate::cases) items: Vec<Value>,
    /// Items of each page.
    pub(in crate::cases) pages: Vec<usize>,
    /// Whether the last page was reached.
    pub(in crate::cases) is_whole: bool,
    /// The exchange of the last page.
    pub(in crate::cases) exchange: usize,
}

impl Walk {
    /// Ids, in order.
    pub(in crate::cases) fn ids(&self) -> Vec<&str> {
        ids(&self.items)
    }

    /// A failure that the last page shows.
    pub(in crate::cases) fn failed(
        &self,
        what: &str,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> CaseOutcome {
        CaseOutcome::failed(what, expected, actual, Some(self.exchange))
    }

    /// R7.
    pub(in crate::cases) fn is_in_order(&self) -> Result<(), CaseOutcome> {
        let place = |item: &Value| {
            let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
            (text("createdAt"), text("id"))
        };
        for pair in self.items.windows(2) {
            let (before, after) = (place(&pair[0]), place(&pair[1]));
            if before <= after {
                return Err(self.failed(
                    "A list is in another order.",
                    "createdAt descending, then id descending",
                    format!("{before:?} before {after:?}"),
                ));
            }
        }
        Ok(())
    }
}

/// Pages of one limit.
pub(in crate::cases) fn pages_of(limit: usize, pages: usize) -> Vec<usize> {
    vec![limit; pages]
}

/// Walks a list by pages of these limits, until the list or the limits end.
///
/// # Errors
/// A page is no page of its list.
pub(in crate::cases) async fn walk(
    context: &mut CaseContext<'_>,
    list: &Request,
    limits: &[usize],
) -> Result<Walk, CaseOutcome> {
    let mut walk = Walk::default();
    let mut cursor: Option<String> = None;
    for limit in limits {
        let mut request = list.clone().query("limit", &limit.to_string());
        if let Some(cursor) = &cursor {
            request = request.query("cursor", cursor);
        }
        let page = context.send(request).await?;
        walk.exchange = page.exchange;
        let next = next_cursor(&page)?;
        let items = page.items();
        page.that(
            items.len() <= *limit,
            "A page holds more items than its limit.",
            &format!("{limit} at most"),
            &items.len().to_string(),
        )?
        .that(
            cursor.is_none() || !items.is_empty(),
            "nextCursor was not null although there was no further page.",
            "a page with items",
            "an empty page",
        )?;
        walk.items.extend_from_slice(items);
        walk.pages.push(items.len());
        if next.is_none() {
            walk.is_whole = true;
            break;
        }
        cursor = next;
    }
    no_repeats(&walk)?;
    Ok(walk)
}

fn no_repeats(walk: &Walk) -> Result<(), CaseOutcome> {
    let mut ids = walk.ids();
    ids.sort_unstable();
    let repeated = ids.windows(2).find(|pair| pair[0] == pair[1]);
    match repeated {
        None => Ok(()),
        Some(pair) => Err(walk.failed(
            "An item stands in a list twice.",
            "each once",
            format!("{} stands twice", pair[0]),
        )),
    }
}

/// The cursor of a list's response, which is `{ data: [...], pagination: { nextCursor: string or null } }`.
///
/// # Errors
/// It is no such response.
pub(in crate::cases) fn next_cursor(page: &Response) -> Result<Option<String>, CaseOutcome> {
    page.is(200)?;
    page.that(
        page.at("/data").is_array(),
        "A list has no data.",
        "an array at /data",
        &page.shown(),
    )?;
    let told = page.at("/pagination").get("nextCursor");
    match told {
        Some(Value::Null) => Ok(None),
        Some(Value::String(cursor)) if !cursor.is_empty() => Ok(Some(cursor.clone())),
        other => Err(CaseOutcome::failed(
            "A list has no nextCursor.",
            "a string or null at /pagination/nextCursor",
            other.map_or_else(|| "nothing".to_owned(), Value::to_string),
            Some(page.exchange),
        )),
    }
}

/// A page with its cursor, which it must have for a case to go on.
///
/// # Errors
/// Skipped: there is no second page.
pub(in crate::cases) async fn first_cursor(
    context: &mut CaseContext<'_>,
    request: Request,
    what: &str,
) -> Result<(Response, String), CaseOutcome> {
    let page = context.given(request).await?;
    match next_cursor(&page)? {
        Some(cursor) => Ok((page, cursor)),
        None => Err(CaseOutcome::missing(format!(
            "more than one page of {what}"
        ))),
    }
}

/// Ids of items, in order.
pub(in crate::cases) fn ids(items: &[Value]) -> Vec<&str> {
    let ids = items.iter();
    ids.map(|item| item["id"].as_str().unwrap_or_default())
        .collect()
}

/// Lines that are looked through to know what is there.
const KNOWN_PAGES: usize = 4;

/// The first few hundred items: what a case chooses its examples from.
///
/// # Errors
/// As [`walk`]; skipped where there is nothing.
pub(in crate::cases) async fn known(
    context: &mut CaseContext<'_>,
    list: List,
) -> Result<Walk, CaseOutcome> {
    let request = list.request(&context.all()?);
    let walk = walk(context, &request, &pages_of(100, KNOWN_PAGES)).await?;
    if walk.items.is_empty() {
        return Err(CaseOutcome::missing(list.what));
    }
    Ok(walk)
}
