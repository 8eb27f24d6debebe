//! Lists, their filters and cursors: no page shows anything of another organisation.

use super::{KEYS, Sides, both_sides};
use crate::cases::prelude::*;
use crate::cases::walk::{LINES, first_pages};

/// Limits of the pages that are compared; without R8 all pages of a list have the same.
const LIMITS: [usize; 13] = [3, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50];

const STATUSES: [&str; 4] =
    ["status=EXPECTED", "status=PENDING", "status=IN_PAYOUT", "status=VOIDED"];

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("listCommissionLines").keys(KEYS);
    { "tenancy.list-partners" "§1.1" run(disjoint, "/api/v1/partners", &[])
      "No page of partners shows a partner of another organisation."
      .on("listPartners").requests(120) }
    { "tenancy.list-lines" "§1.1" run(disjoint, LINES.path, &STATUSES)
      "No page of commission lines shows a line of another organisation." .requests(140) }
    { "tenancy.filter-by-foreign-partner" "R10"
      run(empty_from_both, "partnerId", Fixture::ForeignPartner, Fixture::Partner)
      "A filter that names another organisation's partner returns an empty page."
      .fixtures(&[Fixture::ForeignPartner]) }
    { "tenancy.filter-by-foreign-payout" "R10"
      run(empty_from_both, "payoutId", Fixture::ForeignPayout, Fixture::Payout)
      "A filter that names another organisation's payout returns an empty page."
      .fixtures(&[Fixture::ForeignPayout]) }
    { "tenancy.cursor" "§5.3" run(cursor)
      "A cursor of another organisation shows nothing of that organisation." }
};

/// That no item of the first pages of one organisation is among those of the other, without filters
/// and with each of these.
async fn disjoint(context: &mut CaseContext<'_>, path: &str, filters: &[&str]) -> CaseResult {
    let sides = [Role::All, Role::OtherOrganization];
    let mut all = Vec::new();
    for role in sides {
        all.push(ids(context, path, role).await?);
    }
    CaseOutcome::missing_if(
        all.iter().any(Vec::is_empty),
        "two organisations with something to list",
    )?;
    is_apart(&all[0], &all[1])?;
    for filter in filters {
        let filtered = format!("{path}?{filter}");
        for (role, others) in sides.into_iter().zip(all.iter().rev()) {
            is_apart(&ids(context, &filtered, role).await?, others)?;
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
async fn ids(context: &mut CaseContext<'_>, path: &str, role: Role) -> CaseResult<Vec<String>> {
    let list = Request::get(path).with(&context.key(role)?);
    let limits = if context.judges("R8") { LIMITS } else { [LIMITS[1]; LIMITS.len()] };
    let walk = first_pages(context, &list, &limits).await?;
    Ok(walk.ids().into_iter().map(str::to_owned).collect())
}

async fn empty_by_filter(
    context: &mut CaseContext<'_>,
    name: &str,
    foreign: &str,
    [asks, owns]: Sides,
) -> CaseResult {
    let list = |id: &str| Request::get("/api/v1/commission-lines").query(name, id);
    let (own, theirs) = (context.key(asks)?, context.key(owns)?);
    let seen = context.given(list(foreign).with(&theirs)).await?;
    CaseOutcome::missing_if(seen.items().is_empty(), format!("lines with the {name} {foreign}"))?;
    for id in [foreign, UNKNOWN_ID] {
        let page = context.ok(list(id).with(&own)).await?;
        page.has("/data", json!([]))?.has("/pagination/nextCursor", json!(null))?;
        context.snapshot(&page);
    }
    // Together with another filter, which theirs would satisfy, too.
    let status = seen.text("/data/0/status").to_owned();
    let request = list(foreign).query("status", &status).with(&own);
    let page = context.ok(request).await?;
    page.has("/data", json!([])).map(drop)
}

async fn empty_from_both(
    context: &mut CaseContext<'_>,
    name: &str,
    theirs: Fixture,
    ours: Fixture,
) -> CaseResult {
    for (foreign, sides) in both_sides(context, theirs, ours)? {
        empty_by_filter(context, name, &foreign, sides).await?;
    }
    Ok(())
}

async fn cursor(context: &mut CaseContext<'_>) -> CaseResult {
    let other = context.key(Role::OtherOrganization)?;
    let list = "/api/v1/commission-lines?limit=1";
    let theirs = context.given(Request::get(list).with(&other)).await?;
    let Some(cursor) = theirs.at("/pagination/nextCursor").as_str() else {
        return Err(CaseOutcome::missing("two lines of the other organisation"));
    };
    let limit = if context.judges("R8") { 100 } else { 1 };
    let next = Request::get(format!("/api/v1/commission-lines?limit={limit}"));
    let next = next.query("cursor", cursor);
    let their_rest = context.given(next.clone().with(&other)).await?;
    let ours = context.send(next.with(&context.all()?)).await?;
    let is_theirs = |item: &serde_json::Value| {
        their_rest.items().iter().any(|theirs| theirs["id"] == item["id"])
    };
    ours.that(
        !ours.items().iter().any(is_theirs),
        "Another organisation's cursor shows that organisation's lines.",
        "only lines of the key's own organisation, or a refusal",
        &ours.shown(),
    )
}
