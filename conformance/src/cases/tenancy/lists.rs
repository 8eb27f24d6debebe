//! Lists, their filters and cursors: no page shows anything of another organisation.

use serde_json::json;

use super::{KEYS, NOBODY, Sides, both_sides};
use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    exchange::Request,
    target::{Fixture, Role},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "tenancy.list-partners",
        "No page of a list of partners shows one of another organisation.",
        "§1.1",
        runs!(list_partners),
    )
    .on("listPartners")
    .keys(KEYS)
    .requests(120),
    Case::new(
        "tenancy.list-lines",
        "No page of a list of lines shows one of another organisation.",
        "§1.1",
        runs!(list_lines),
    )
    .on("listCommissionLines")
    .keys(KEYS)
    .requests(140),
    Case::new(
        "tenancy.filter-by-foreign-partner",
        "A filter that names another organisation's partner gives an empty page.",
        "R10",
        runs!(filter_by_foreign_partner),
    )
    .on("listCommissionLines")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPartner]),
    Case::new(
        "tenancy.filter-by-foreign-payout",
        "A filter that names another organisation's payout gives an empty page.",
        "R10",
        runs!(filter_by_foreign_payout),
    )
    .on("listCommissionLines")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPayout]),
    Case::new(
        "tenancy.cursor",
        "A cursor of another organisation grants nothing of that organisation.",
        "§5.3",
        runs!(cursor),
    )
    .on("listCommissionLines")
    .keys(KEYS),
];

/// No item of the first pages of one organisation is among those of the other, with none of these filters either.
async fn disjoint(
    context: &mut CaseContext<'_>,
    path: &str,
    filters: &[&str],
) -> Result<(), CaseOutcome> {
    let sides = [Role::All, Role::OtherOrganization];
    let mut all = Vec::new();
    for role in sides {
        all.push(ids(context, path, role).await?);
    }
    if all.iter().any(Vec::is_empty) {
        return Err(CaseOutcome::missing(
            "two organisations with something to list",
        ));
    }
    is_apart(&all[0], &all[1])?;
    for filter in filters {
        let filtered = format!("{path}?{filter}");
        for (role, others) in sides.into_iter().zip(all.iter().rev()) {
            is_apart(&ids(context, &filtered, role).await?, others)?;
        }
    }
    Ok(())
}

fn is_apart(own: &[String], others: &[String]) -> Result<(), CaseOutcome> {
    let shared: Vec<&String> = own.iter().filter(|id| others.contains(id)).collect();
    if shared.is_empty() {
        return Ok(());
    }
    Err(CaseOutcome::failed(
        "Two organisations are shown the same items.",
        "no id in both lists",
        format!("{shared:?}"),
        None,
    ))
}

/// Ids of the first pages, which are small, so that there is more than one.
async fn ids(
    context: &mut CaseContext<'_>,
    path: &str,
    role: Role,
) -> Result<Vec<String>, CaseOutcome> {
    const PAGES: usize = 12;
    let key = context.key(role)?;
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    for limit in std::iter::once("3").chain(std::iter::repeat_n("50", PAGES)) {
        let mut request = Request::get(path).query("limit", limit);
        if let Some(cursor) = &cursor {
            request = request.query("cursor", cursor);
        }
        let page = context.send(request.with(&key)).await?;
        page.is(200)?;
        let items = page.items().iter();
        ids.extend(items.filter_map(|item| Some(item["id"].as_str()?.to_owned())));
        cursor = page
            .at("/pagination/nextCursor")
            .as_str()
            .map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    Ok(ids)
}

async fn list_partners(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    disjoint(context, "/api/v1/partners", &[]).await
}

async fn list_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let statuses = ["EXPECTED", "PENDING", "IN_PAYOUT", "VOIDED"];
    let filters = statuses.map(|status| format!("status={status}"));
    disjoint(
        context,
        "/api/v1/commission-lines",
        &filters.each_ref().map(String::as_str),
    )
    .await
}

async fn empty_by_filter(
    context: &mut CaseContext<'_>,
    name: &str,
    foreign: &str,
    [asks, owns]: Sides,
) -> Result<(), CaseOutcome> {
    let list = |id: &str| Request::get("/api/v1/commission-lines").query(name, id);
    let (own, theirs) = (context.key(asks)?, context.key(owns)?);
    let seen = context.given(list(foreign).with(&theirs)).await?;
    if seen.items().is_empty() {
        return Err(CaseOutcome::missing(format!(
            "lines with the {name} {foreign}"
        )));
    }
    for id in [foreign, NOBODY] {
        let page = context.send(list(id).with(&own)).await?;
        page.is(200)?
            .has("/data", json!([]))?
            .has("/pagination/nextCursor", json!(null))?;
        context.snapshot(&page);
    }
    // Joined with another filter, which theirs would pass, too.
    let status = seen.text("/data/0/status").to_owned();
    let page = context
        .send(list(foreign).query("status", &status).with(&own))
        .await?;
    page.is(200)?.has("/data", json!([]))?;
    Ok(())
}

async fn empty_from_both(
    context: &mut CaseContext<'_>,
    name: &str,
    theirs: Fixture,
    ours: Fixture,
) -> Result<(), CaseOutcome> {
    for (foreign, sides) in both_sides(context, theirs, ours)? {
        empty_by_filter(context, name, &foreign, sides).await?;
    }
    Ok(())
}

async fn filter_by_foreign_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let (theirs, ours) = (Fixture::ForeignPartner, Fixture::Partner);
    empty_from_both(context, "partnerId", theirs, ours).await
}

async fn filter_by_foreign_payout(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    empty_from_both(context, "payoutId", theirs, ours).await
}

async fn cursor(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let other = context.key(Role::OtherOrganization)?;
    let list = "/api/v1/commission-lines?limit=1";
    let theirs = context.given(Request::get(list).with(&other)).await?;
    let Some(cursor) = theirs.at("/pagination/nextCursor").as_str() else {
        return Err(CaseOutcome::missing("two lines of the other organisation"));
    };
    let next = Request::get("/api/v1/commission-lines?limit=100").query("cursor", cursor);
    let their_rest = context.given(next.clone().with(&other)).await?;
    let ours = context.send(next.with(&context.all()?)).await?;
    let is_theirs = |item: &serde_json::Value| {
        their_rest
            .items()
            .iter()
            .any(|theirs| theirs["id"] == item["id"])
    };
    ours.that(
        !ours.items().iter().any(is_theirs),
        "Another organisation's cursor shows that organisation's lines.",
        "only lines of the key's own organisation, or a refusal",
        &ours.shown(),
    )?;
    Ok(())
}
