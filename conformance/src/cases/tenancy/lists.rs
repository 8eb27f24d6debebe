//! Lists, their filters and cursors: no page shows anything of another organisation.

use serde_json::json;

use super::{KEYS, NOBODY, Sides, both_sides};
use crate::{
    case::{Case, Scene, Stop, definition::runs},
    exchange::Call,
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
async fn disjoint(scene: &mut Scene<'_>, path: &str, filters: &[&str]) -> Result<(), Stop> {
    let sides = [Role::All, Role::OtherOrganization];
    let mut all = Vec::new();
    for role in sides {
        all.push(ids(scene, path, role).await?);
    }
    if all.iter().any(Vec::is_empty) {
        return Err(Stop::missing("two organisations with something to list"));
    }
    is_apart(&all[0], &all[1])?;
    for filter in filters {
        let filtered = format!("{path}?{filter}");
        for (role, others) in sides.into_iter().zip(all.iter().rev()) {
            is_apart(&ids(scene, &filtered, role).await?, others)?;
        }
    }
    Ok(())
}

fn is_apart(own: &[String], others: &[String]) -> Result<(), Stop> {
    let shared: Vec<&String> = own.iter().filter(|id| others.contains(id)).collect();
    if shared.is_empty() {
        return Ok(());
    }
    Err(Stop::failed(
        "Two organisations are shown the same items.",
        "no id in both lists",
        format!("{shared:?}"),
        None,
    ))
}

/// Ids of the first pages, which are small, so that there is more than one.
async fn ids(scene: &mut Scene<'_>, path: &str, role: Role) -> Result<Vec<String>, Stop> {
    const PAGES: usize = 12;
    let key = scene.key(role)?;
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    for limit in std::iter::once("3").chain(std::iter::repeat_n("50", PAGES)) {
        let mut call = Call::get(path).query("limit", limit);
        if let Some(cursor) = &cursor {
            call = call.query("cursor", cursor);
        }
        let page = scene.send(call.with(&key)).await?;
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

async fn list_partners(scene: &mut Scene<'_>) -> Result<(), Stop> {
    disjoint(scene, "/api/v1/partners", &[]).await
}

async fn list_lines(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let statuses = ["EXPECTED", "PENDING", "IN_PAYOUT", "VOIDED"];
    let filters = statuses.map(|status| format!("status={status}"));
    disjoint(
        scene,
        "/api/v1/commission-lines",
        &filters.each_ref().map(String::as_str),
    )
    .await
}

async fn empty_by_filter(
    scene: &mut Scene<'_>,
    name: &str,
    foreign: &str,
    [asks, owns]: Sides,
) -> Result<(), Stop> {
    let list = |id: &str| Call::get("/api/v1/commission-lines").query(name, id);
    let (own, theirs) = (scene.key(asks)?, scene.key(owns)?);
    let seen = scene.given(list(foreign).with(&theirs)).await?;
    if seen.items().is_empty() {
        return Err(Stop::missing(format!("lines with the {name} {foreign}")));
    }
    for id in [foreign, NOBODY] {
        let page = scene.send(list(id).with(&own)).await?;
        page.is(200)?
            .has("/data", json!([]))?
            .has("/pagination/nextCursor", json!(null))?;
        scene.snapshot(&page);
    }
    // Joined with another filter, which theirs would pass, too.
    let status = seen.text("/data/0/status").to_owned();
    let page = scene
        .send(list(foreign).query("status", &status).with(&own))
        .await?;
    page.is(200)?.has("/data", json!([]))?;
    Ok(())
}

async fn empty_from_both(
    scene: &mut Scene<'_>,
    name: &str,
    theirs: Fixture,
    ours: Fixture,
) -> Result<(), Stop> {
    for (foreign, sides) in both_sides(scene, theirs, ours)? {
        empty_by_filter(scene, name, &foreign, sides).await?;
    }
    Ok(())
}

async fn filter_by_foreign_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let (theirs, ours) = (Fixture::ForeignPartner, Fixture::Partner);
    empty_from_both(scene, "partnerId", theirs, ours).await
}

async fn filter_by_foreign_payout(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    empty_from_both(scene, "payoutId", theirs, ours).await
}

async fn cursor(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let other = scene.key(Role::OtherOrganization)?;
    let list = "/api/v1/commission-lines?limit=1";
    let theirs = scene.given(Call::get(list).with(&other)).await?;
    let Some(cursor) = theirs.at("/pagination/nextCursor").as_str() else {
        return Err(Stop::missing("two lines of the other organisation"));
    };
    let next = Call::get("/api/v1/commission-lines?limit=100").query("cursor", cursor);
    let their_rest = scene.given(next.clone().with(&other)).await?;
    let ours = scene.send(next.with(&scene.all()?)).await?;
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
