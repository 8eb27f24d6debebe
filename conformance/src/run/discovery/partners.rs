//! Finds partners, and the tiers, phases, templates and users they refer to.

use std::cmp::Reverse;

use serde_json::Value;

use super::pages::{Pages, text};
use crate::{
    deployment::Fixtures,
    exchange::{ClientError, request::escaped},
    target::Fixture,
};

const LIST: &str = "/api/v1/partners?limit=100";
/// The fixtures that partners refer to, and where. An owner comes before a manager.
const ASSIGNED: [(Fixture, &str, &str); 5] = [
    (Fixture::Tier, "/tierId", "/tierId"),
    (Fixture::Phase, "/phaseId", "/phaseId"),
    (Fixture::ExperienceTemplate, "/experienceTemplateId", "/experienceTemplateId"),
    (Fixture::User, "/owner/id", "/owner/id"),
    (Fixture::User, "/manager/id", "/owner/id"),
];
/// The values that a partner needs so that a change of it can be undone: null cannot be set again.
const WANTED: [&str; 6] =
    ["/owner/id", "/manager/id", "/tierId", "/phaseId", "/experienceTemplateId", "/domain"];

pub(super) async fn find(
    ours: &Pages<'_>,
    theirs: &Pages<'_>,
    found: &mut Fixtures,
) -> Result<(), ClientError> {
    // An `externalId` that both organisations have is the better one.
    let mut foreign = Vec::new();
    if found.lacks_one_of(&[Fixture::ForeignPartner, Fixture::ExternalId]) {
        foreign = theirs.items(LIST, |_| false).await?;
    }
    let referred = ASSIGNED.map(|(fixture, ..)| fixture);
    if found.lacks_one_of(&[Fixture::Partner, Fixture::ExternalId, Fixture::ShadowPartner])
        || found.lacks_one_of(&referred)
    {
        // Any page may hold what fits better.
        let mut all = ours.items(LIST, |_| false).await?;
        for fixture in [Fixture::Partner, Fixture::ExternalId] {
            // One that the target names may be on a page beyond the bound.
            let is_it =
                |id: &str, partner| ["/id", "/externalId"].iter().any(|at| text(partner, at) == id);
            let unknown =
                found.id(fixture).filter(|id| !all.iter().any(|partner| is_it(id, partner)));
            if let Some(id) = unknown {
                all.extend(ours.one(&format!("/api/v1/partners/{}", escaped(id))).await?);
            }
        }
        choose(&all, &foreign, found);
    }
    // Best a partner with the `externalId` of ours.
    let external = found.id(Fixture::ExternalId).unwrap_or_default();
    let rank = |partner: &&Value| match text(partner, "/externalId") {
        "" => 2,
        id if id == external => 0,
        _ => 1,
    };
    let chosen = foreign.iter().min_by_key(rank).map(|partner| text(partner, "/id"));
    found.add(Fixture::ForeignPartner, chosen);
    Ok(())
}

fn choose(all: &[Value], theirs: &[Value], found: &mut Fixtures) {
    found.add(Fixture::Partner, best(all).map(|partner| text(partner, "/id")));
    let id = found.id(Fixture::Partner).unwrap_or_default().to_owned();
    found.add(Fixture::ShadowPartner, shadow(all, &id));
    found.add(Fixture::ExternalId, external(all, theirs, &id));
    let own = all.iter().find(|partner| text(partner, "/id") == id);
    for (fixture, pointer, own_pointer) in ASSIGNED {
        let own = own.map_or("", |own| text(own, own_pointer));
        let mut values = all.iter().map(|partner| text(partner, pointer));
        found.add(fixture, values.find(|value| !value.is_empty() && *value != own));
    }
}

/// The partner with the most values that can be changed and restored; among equals one with a
/// shadow, then the first.
fn best(all: &[Value]) -> Option<&Value> {
    let fitness = |(index, partner): &(usize, &Value)| {
        let has = WANTED.iter().filter(|pointer| !text(partner, pointer).is_empty());
        let is_shadowed = shadow(all, text(partner, "/id")).is_some();
        (has.count(), is_shadowed, Reverse(*index))
    };
    let named = all.iter().filter(|partner| !text(partner, "/id").is_empty());
    named.enumerate().max_by_key(fitness).map(|(_, partner)| partner)
}

/// The partner whose `externalId` is this id of another.
fn shadow<'all>(all: &'all [Value], id: &str) -> Option<&'all str> {
    let mut others = all.iter().filter(|partner| text(partner, "/id") != id);
    let shadow = others.find(|partner| !id.is_empty() && text(partner, "/externalId") == id);
    shadow.map(|partner| text(partner, "/id"))
}

/// An `externalId` that is no other partner's id. Best one that needs no escaping, so that a
/// rejection is about the id, that a partner of the other organisation has too, and whose partner
/// cases do not change.
fn external<'all>(all: &'all [Value], theirs: &[Value], changed: &str) -> Option<&'all str> {
    let partners = all.iter().filter(|partner| {
        let id = text(partner, "/externalId");
        !id.is_empty() && all.iter().all(|other| text(other, "/id") != id)
    });
    let best = partners.min_by_key(|partner| {
        let id = text(partner, "/externalId");
        let is_shared = theirs.iter().any(|other| text(other, "/externalId") == id);
        (escaped(id) != id, !is_shared, text(partner, "/id") == changed)
    });
    best.map(|partner| text(partner, "/externalId"))
}
