//! Cursors that are malformed, or belong to another list, other filters or another organisation
//! (§5.3, R8). A cursor is opaque here.

use crate::{
    cases::walk::{List, first_cursor, first_pages, next_cursor},
    probes::prelude::*,
};

/// Limits of the pages that two organisations' lists are compared by.
const LIMITS: [usize; 13] = [3, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50];
/// Other filters that each cursor is tried with.
const OTHERS: usize = 6;
const KEYS: [Role; 2] = [Role::All, Role::OtherOrganization];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let begins_again = || {
        subject.sends_again(|request, response, _| {
            let mut first = request.clone();
            first.retain_parameters(|name, _| name != CURSOR);
            response.has_error(INVALID_CURSOR.0, INVALID_CURSOR.1).then_some(first)
        })
    };
    if subject.has_filters() {
        let case = subject.case("cursor.of-other-filters", "R8", of_other_filters).requests(120);
        probes.push(
            case.says("{operation} rejects a cursor with other filters than its own.").fault(
                "{operation} begins again where a cursor is of other filters.",
                begins_again(),
            ),
        );
    }
    probes.extend([
        subject
            .case("cursor.malformed", "R8", malformed)
            .says("{operation} rejects a malformed cursor.")
            .requests(16)
            .fault("{operation} begins again where a cursor is malformed.", begins_again()),
        subject
            .case("cursor.of-another-list", "R8", of_another_list)
            .says("{operation} rejects a cursor of another list.")
            .requests(16)
            .fault("{operation} begins again where a cursor is of another list.", begins_again()),
        subject
            .case("list.foreign", "§1.1", disjoint)
            .says("No page of {operation} shows an item of another organisation.")
            .keys(KEYS)
            .requests(200)
            .fault(
                "{operation} shows items of another organisation.",
                exchanges(move |request, upstream| {
                    Box::pin(with_foreign_item(subject, request, upstream))
                })
                .needs(&[Role::OtherOrganization, Role::All]),
            ),
        subject
            .case("cursor.foreign", "§5.3", foreign)
            .says("A cursor of another organisation shows nothing of it in {operation}.")
            .keys(KEYS)
            .fault_by_hand("second-page-unscoped"),
    ]);
}

/// Replaces the last item of a page by one of another organisation.
async fn with_foreign_item(
    subject: &'static Subject,
    request: Request,
    upstream: &Upstream,
) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(&subject.operation.id) {
        let theirs = upstream.send(&upstream.in_role(Role::OtherOrganization, &request)).await;
        response.edit_items(|items| {
            let is_new = |item: &&Value| items.iter().all(|own| own["id"] != item["id"]);
            if let Some(item) = theirs.items().iter().find(is_new)
                && let Some(last) = items.last_mut()
            {
                *last = item.clone();
            }
        });
    }
    response
}

impl Subject {
    fn has_filters(&self) -> bool {
        let mut parameters = self.parameters(openapi_document::Location::Query);
        parameters.any(|parameter| ![LIMIT, CURSOR].contains(&parameter.name.as_str()))
    }

    /// Filters of the list that list something: fixtures of the recipe, and values of enums.
    pub(super) fn filters(&'static self, context: &CaseContext<'_>) -> Vec<(&'static str, String)> {
        let places = self.ours.iter().filter_map(|(place, fixture)| {
            Some((place.strip_prefix('?')?, context.deployment().fixture(*fixture)?))
        });
        let mut filters: Vec<(&'static str, String)> = places.collect();
        for parameter in self.parameters(openapi_document::Location::Query) {
            let shape = self.shape(&parameter.name);
            let options = shape.as_ref().map_or(&[][..], |shape| shape.options());
            let options = options.iter().filter_map(Value::as_str);
            filters.extend(options.map(|value| (parameter.name.as_str(), value.to_owned())));
        }
        filters
    }
}

fn first(context: &CaseContext<'_>, list: List) -> CaseResult<Request> {
    Ok(list.request(&context.all()?).query(LIMIT, "1"))
}

async fn malformed(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    let request = first(context, list)?;
    let (_, cursor) = first_cursor(context, request.clone(), list.what).await?;
    context.given(request.clone().query(CURSOR, &cursor)).await?;
    let half = cursor.len() / 2;
    let is_edge = cursor.is_char_boundary(half);
    let (head, tail) = cursor.split_at(if is_edge { half } else { 0 });
    let known = ["", "x", "!", "null", "0", head, tail].map(str::to_owned);
    let altered = [
        format!("{tail}{head}"),
        cursor.chars().rev().collect(),
        format!("{cursor}!"),
        format!(" {cursor}"),
        format!("{cursor}\0"),
    ];
    for broken in known.into_iter().chain(altered) {
        let response = context.send(request.clone().query(CURSOR, &broken)).await?;
        context.is_error(&response, INVALID_CURSOR)?;
        if broken == "x" {
            context.snapshot(&response);
        }
    }
    Ok(())
}

async fn of_another_list(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = first(context, subject.list())?;
    let (_, own) = first_cursor(context, request.clone(), subject.list().what).await?;
    context.given(request.clone().query(CURSOR, &own)).await?;
    let is_other = |other: &&Subject| {
        other.is_list()
            && other.is_in_profile(context)
            && other.operation.id != subject.operation.id
    };
    for other in SUBJECTS.iter().filter(is_other).collect::<Vec<_>>() {
        let theirs = first(context, other.list())?;
        let (_, cursor) = first_cursor(context, theirs, other.list().what).await?;
        let response = context.send(request.clone().query(CURSOR, &cursor)).await?;
        context.is_error(&response, INVALID_CURSOR)?;
    }
    Ok(())
}

type Filters = Vec<(&'static str, String)>;

async fn of_other_filters(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let alone = subject.filters(context).into_iter().map(|filter| vec![filter]);
    let mut filters: Vec<Filters> = std::iter::once(Vec::new()).chain(alone).collect();
    // Two filters together: one less, or one more, is another list.
    if let (Some(first), Some(last)) = (filters.get(1).cloned(), filters.last().cloned())
        && first[0].0 != last[0].0
    {
        filters.extend(subject.filters(context).into_iter().filter_map(|(name, value)| {
            let is_option = name == last[0].0;
            is_option.then(|| [first.clone(), vec![(name, value)]].concat())
        }));
    }
    let request = first(context, subject.list())?;
    let with = |filters: &Filters| {
        filters.iter().fold(request.clone(), |request, (name, value)| request.query(name, value))
    };
    let mut is_proved = false;
    for own in &filters {
        // A filter that lists one item has no second page.
        let page = context.given(with(own)).await?;
        let Some(cursor) = next_cursor(&page)? else { continue };
        context.given(with(own).query(CURSOR, &cursor)).await?;
        for other in filters.iter().filter(|other| *other != own).take(OTHERS) {
            let response = context.send(with(other).query(CURSOR, &cursor)).await?;
            context.is_error(&response, INVALID_CURSOR)?;
            is_proved = true;
        }
    }
    CaseOutcome::missing_if(!is_proved && filters.len() > 1, "a filter that lists two items")
}

/// Requires that the first pages of two organisations share no item, without filters and with each.
async fn disjoint(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let mut all = Vec::new();
    for role in KEYS {
        all.push(shown(context, subject.list(), None, role).await?);
    }
    let what = "two organisations with something to list";
    CaseOutcome::missing_if(all.iter().any(Vec::is_empty), what)?;
    is_apart(&all[0], &all[1])?;
    let is_id = |name: &str| subject.ours.contains_key(&format!("?{name}"));
    for filter in subject.filters(context) {
        if is_id(filter.0) && !context.judges("R10") {
            continue;
        }
        for (role, others) in KEYS.into_iter().zip(all.iter().rev()) {
            let own = shown(context, subject.list(), Some(&filter), role).await?;
            is_apart(&own, others)?;
        }
    }
    Ok(())
}

fn is_apart(own: &[String], others: &[String]) -> CaseResult {
    let shared: Vec<&String> = own.iter().filter(|id| others.contains(id)).collect();
    if shared.is_empty() {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        "Two organisations see the same items.",
        "no id in both lists",
        format!("{shared:?}"),
        None,
    ))
}

/// Ids of the first pages; the very first is short, so that there is more than one.
async fn shown(
    context: &mut CaseContext<'_>,
    list: List,
    filter: Option<&(&str, String)>,
    role: Role,
) -> CaseResult<Vec<String>> {
    let request = list.request(&context.key(role)?);
    let request = match filter {
        Some((name, value)) => request.query(name, value),
        None => request,
    };
    // Without R8 all pages of a list have the same length.
    let limits = if context.judges("R8") { LIMITS } else { [LIMITS[1]; LIMITS.len()] };
    let walk = first_pages(context, &request, &limits).await?;
    Ok(walk.ids().into_iter().map(str::to_owned).collect())
}

async fn foreign(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let list = subject.list();
    let other = context.key(Role::OtherOrganization)?;
    let theirs = context.given(list.request(&other).query(LIMIT, "1")).await?;
    let Some(cursor) = next_cursor(&theirs)? else {
        return Err(CaseOutcome::missing("two items of the other organisation"));
    };
    let limit = if context.judges("R8") { "100" } else { "1" };
    let next = |key| list.request(key).query(LIMIT, limit).query(CURSOR, &cursor);
    let their_rest = context.given(next(&other)).await?;
    let ours = context.send(next(&context.all()?)).await?;
    let is_theirs =
        |item: &Value| their_rest.items().iter().any(|theirs| theirs["id"] == item["id"]);
    ours.must(
        !ours.items().iter().any(is_theirs),
        "Another organisation's cursor shows that organisation's items.",
        "only items of the key's own organisation, or a refusal",
    )
}
