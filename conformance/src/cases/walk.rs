//! Reads lists page by page. Whether the last page was reached is part of the result, so that a
//! list that was cut is never taken for a list without the item.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use crate::cases::prelude::*;

#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) path: &'static str,
    /// The listed things, for messages.
    pub(crate) what: &'static str,
}

pub(crate) const PARTNERS: List = List { path: "/api/v1/partners", what: "partners" };
pub(crate) const LINES: List = List { path: "/api/v1/commission-lines", what: "commission lines" };

pub(crate) const LARGEST: usize = 100;
/// Pages of the largest payout that can have a statement: 20,000 lines (S2).
const PAYOUT_PAGES: usize = 200;
/// Pages from which a case chooses its examples.
const KNOWN_PAGES: usize = 4;

impl List {
    pub(crate) fn request(self, key: &Secret) -> Request {
        Request::get(self.path).with(key)
    }

    pub(crate) fn filtered(self, key: &Secret, filters: &[(&str, &str)]) -> Request {
        let filters = filters.iter();
        filters.fold(self.request(key), |request, (name, value)| request.query(name, value))
    }
}

/// The beginning of a list, or all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    pub(crate) items: Vec<Value>,
    pub(crate) pages: Vec<usize>,
    pub(crate) is_whole: bool,
    pub(crate) exchange: usize,
}

impl Walk {
    pub(crate) fn ids(&self) -> Vec<&str> {
        ids(&self.items)
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Value> {
        self.items.iter().find(|item| item["id"] == id)
    }

    /// Ids of the items of which this holds.
    pub(crate) fn chosen(&self, holds: impl Fn(&Value) -> bool) -> Vec<&str> {
        let items = self.items.iter().filter(|item| holds(item));
        items.map(|item| item["id"].as_str().unwrap_or_default()).collect()
    }

    /// Returns true if the ids that a filter lists are those chosen from this list, as far as both
    /// were read. The order of a list is a decision.
    pub(crate) fn has_selection(
        &self,
        context: &CaseContext<'_>,
        chosen: &[&str],
        listed: &[&str],
        is_last: bool,
    ) -> bool {
        if context.judges("R7") {
            let both = chosen.len().min(listed.len());
            return chosen[..both] == listed[..both]
                && (!self.is_whole || listed.len() <= chosen.len())
                && (!is_last || listed.len() >= chosen.len());
        }
        (!self.is_whole || listed.iter().all(|id| chosen.contains(id)))
            && (!is_last || chosen.iter().all(|id| listed.contains(id)))
    }

    /// Values of the field at a JSON pointer other than null, those of many items first.
    pub(crate) fn values(&self, pointer: &str) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for value in self.items.iter().filter_map(|item| item.pointer(pointer)?.as_str()) {
            *counts.entry(value).or_default() += 1;
        }
        let mut values: Vec<&str> = counts.keys().copied().collect();
        values.sort_by_key(|value| Reverse(counts[value]));
        values.into_iter().map(str::to_owned).collect()
    }

    pub(crate) fn failed(
        &self,
        what: &str,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> CaseOutcome {
        CaseOutcome::failed(what, expected, actual, Some(self.exchange))
    }

    /// Requires that `holds`; else the case fails with these texts.
    pub(crate) fn that(&self, holds: bool, what: &str, expected: &str, actual: &str) -> CaseResult {
        if holds {
            return Ok(());
        }
        Err(self.failed(what, expected, actual))
    }

    /// Requires the last page. Inconclusive: it was not reached.
    pub(crate) fn require_whole(&self) -> CaseResult {
        if self.is_whole {
            return Ok(());
        }
        Err(CaseOutcome::inconclusive(
            "The list is longer than a case reads.",
            format!("the last page within {} pages", self.pages.len()),
            format!("a cursor after {} items", self.items.len()),
            Some(self.exchange),
        ))
    }

    /// Requires the order of R7.
    pub(crate) fn is_in_order(&self) -> CaseResult {
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

    /// Requires pages within their limits, none but the first empty, and each item once.
    fn has_sound_pages(&self, limits: &[usize]) -> CaseResult {
        for (index, (count, limit)) in self.pages.iter().zip(limits).enumerate() {
            if count > limit {
                return Err(self.failed(
                    "A page holds more items than its limit.",
                    format!("at most {limit}"),
                    count.to_string(),
                ));
            }
            if index > 0 && *count == 0 {
                return Err(self.failed(
                    "nextCursor was not null although there was no further page.",
                    "a page with items",
                    "an empty page",
                ));
            }
        }
        let mut ids = self.ids();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(self.failed(
                "A list holds an item twice.",
                "each item once",
                format!("{} twice", pair[0]),
            )),
        }
    }
}

/// Reads pages with these limits, until the list ends, the limits end or an item is the wanted one.
/// Failed: the next page was read before.
async fn read(
    context: &mut CaseContext<'_>,
    list: &Request,
    limits: &[usize],
    is_wanted: impl Fn(&Value) -> bool,
) -> CaseResult<Walk> {
    let (mut walk, mut cursors) = (Walk::default(), HashSet::new());
    let mut cursor: Option<String> = None;
    for limit in limits {
        let mut request = list.clone().query("limit", &limit.to_string());
        if let Some(cursor) = &cursor {
            request = request.query("cursor", cursor);
        }
        let page = context.send(request).await?;
        walk.exchange = page.exchange;
        cursor = next_cursor(&page)?;
        walk.items.extend_from_slice(page.items());
        walk.pages.push(page.items().len());
        walk.is_whole = cursor.is_none();
        if walk.is_whole || page.items().iter().any(&is_wanted) {
            break;
        }
        walk.that(
            cursors.insert(cursor.clone()),
            "A list repeats a cursor, so it never ends.",
            "null, or a cursor that no page before had",
            cursor.as_deref().unwrap_or_default(),
        )?;
    }
    Ok(walk)
}

/// Reads pages with these limits, until the list or the limits end, and judges the pages.
pub(crate) async fn walk(
    context: &mut CaseContext<'_>,
    list: &Request,
    limits: &[usize],
) -> CaseResult<Walk> {
    let walk = read(context, list, limits, |_| false).await?;
    walk.has_sound_pages(limits)?;
    Ok(walk)
}

/// Reads pages like [`walk`], without judging them.
pub(crate) async fn first_pages(
    context: &mut CaseContext<'_>,
    list: &Request,
    limits: &[usize],
) -> CaseResult<Walk> {
    read(context, list, limits, |_| false).await
}

/// All lines of a payout, as far as a payout may have them.
pub(crate) async fn lines_of_payout(
    context: &mut CaseContext<'_>,
    payout: &str,
) -> CaseResult<Walk> {
    let list = LINES.filtered(&context.all()?, &[("payoutId", payout)]);
    first_pages(context, &list, &[LARGEST; PAYOUT_PAGES]).await
}

/// The item with this id, and the pages that were read; `None` means that the list does not have
/// it.
/// Failed: a page is not a 200 with a list. Inconclusive: not found, and the list goes on.
pub(crate) async fn find(
    context: &mut CaseContext<'_>,
    list: &Request,
    id: &str,
) -> CaseResult<(Option<Value>, Walk)> {
    let limits = [LARGEST; PAYOUT_PAGES];
    let walk = read(context, list, &limits, |item| item["id"] == id).await?;
    let found = walk.find(id).cloned();
    if found.is_none() {
        walk.require_whole()?;
    }
    Ok((found, walk))
}

/// [`find`] in the commission lines with these filters.
pub(crate) async fn find_line(
    context: &mut CaseContext<'_>,
    filters: &[(&str, &str)],
    id: &str,
) -> CaseResult<(Option<Value>, Walk)> {
    let list = LINES.filtered(&context.all()?, filters);
    find(context, &list, id).await
}

/// The cursor of a list's response: `{ data: [...], pagination: { nextCursor: string or null } }`.
pub(crate) fn next_cursor(page: &Response) -> CaseResult<Option<String>> {
    page.is(200)?;
    page.must(page.at("/data").is_array(), "A list has no data.", "an array at /data")?;
    match page.at("/pagination").get("nextCursor") {
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

/// A page with its cursor, without which a case cannot continue.
/// Skipped: there is no second page.
pub(crate) async fn first_cursor(
    context: &mut CaseContext<'_>,
    request: Request,
    what: &str,
) -> CaseResult<(Response, String)> {
    let page = context.given(request).await?;
    match next_cursor(&page)? {
        Some(cursor) => Ok((page, cursor)),
        None => Err(CaseOutcome::missing(format!("more than one page of {what}"))),
    }
}

pub(crate) fn ids(items: &[Value]) -> Vec<&str> {
    let ids = items.iter();
    ids.map(|item| item["id"].as_str().unwrap_or_default()).collect()
}

/// The first few hundred items, from which a case chooses its examples.
/// As [`walk`]; skipped where the list is empty.
pub(crate) async fn known(context: &mut CaseContext<'_>, list: List) -> CaseResult<Walk> {
    let request = list.request(&context.all()?);
    let walk = walk(context, &request, &[LARGEST; KNOWN_PAGES]).await?;
    CaseOutcome::missing_if(walk.items.is_empty(), list.what)?;
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;

    use super::*;
    use crate::{
        case::{Case, ended},
        cases::money::account::Account,
        deployment::stub::{self, Stub},
        verdict::Verdict,
    };

    const CASE: Case = Case { id: "payouts.amount", clause: "V4", ..Case::NONE };

    /// A deployment with one payout of this many lines of 0.01.
    async fn payout_of(lines: usize) -> Stub {
        Stub::start(move |_, target| {
            let body = if target.starts_with("/api/v1/payouts/") {
                let value = format!("{}.{:02}", lines / 100, lines % 100);
                json!({ "data": { "id": "p", "amount": { "value": value, "currency": "EUR" } } })
            } else {
                page(target, lines)
            };
            (200, String::new(), body)
        })
        .await
    }

    fn page(target: &str, lines: usize) -> Value {
        let cursor = target.split_once("cursor=").map_or("0", |(_, cursor)| cursor);
        let from: usize = cursor.parse().unwrap();
        let to = lines.min(from + LARGEST);
        let line =
            |number| json!({ "id": format!("l{number}"), "amount": "0.01", "currency": "EUR" });
        let next = (to < lines).then(|| to.to_string());
        let items: Vec<Value> = (from..to).map(line).collect();
        json!({ "data": items, "pagination": { "nextCursor": next } })
    }

    #[tokio::test]
    async fn every_page_of_a_payout_adds_up() {
        for lines in [0, 1_901, 2_000] {
            let stub = payout_of(lines).await;
            let deployment = stub::deployment(&stub.base_url, "[keys]\nall = \"KEY\"\n").into();
            let mut context = CaseContext::of(&deployment, &CASE).await;
            let account = Account::of(&mut context, "p").await.unwrap();
            assert_eq!(account.lines.len(), lines);
            account.adds_up().unwrap();
        }
    }

    #[tokio::test]
    async fn list_that_repeats_a_cursor_fails() {
        for (cursors, requests) in [(1, 2), (2, 3)] {
            let count = AtomicUsize::new(0);
            let stub = Stub::start(move |_, _| {
                let next = (count.fetch_add(1, Ordering::Relaxed) % cursors).to_string();
                (200, String::new(), json!({ "data": [], "pagination": { "nextCursor": next } }))
            })
            .await;
            let deployment = stub::deployment(&stub.base_url, "[keys]\nall = \"KEY\"\n").into();
            let mut context = CaseContext::of(&deployment, &CASE).await;
            let lines = lines_of_payout(&mut context, "p").await;
            assert!(ended(&lines, Verdict::Fail), "{lines:?}");
            let asked = stub.requests().iter().filter(|request| request.contains("limit")).count();
            assert_eq!(asked, requests);
        }
    }

    #[tokio::test]
    async fn item_beyond_the_last_page_that_is_read_is_inconclusive() {
        let stub = payout_of(20_001).await;
        let deployment = stub::deployment(&stub.base_url, "[keys]\nall = \"KEY\"\n").into();
        let mut context = CaseContext::of(&deployment, &CASE).await;
        let beyond = find_line(&mut context, &[], "l20000").await;
        assert!(ended(&beyond, Verdict::Inconclusive), "{beyond:?}");
        let account = Account::of(&mut context, "p").await;
        assert!(ended(&account, Verdict::Inconclusive), "{account:?}");
    }
}
