//! Fixtures: what the target names, and for the rest what can be found through the API.
//!
//! It refuses to make anything: what is found was there before.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    exchange::{Answer, Call, Client, ClientError},
    secret::Secret,
    target::{Fixture, Keys, Role},
};

/// Pages of a list that are looked through at most.
const PAGES: usize = 5;
const STATUSES: [(&str, Fixture); 3] = [
    ("PENDING", Fixture::LineUnattached),
    ("EXPECTED", Fixture::LineExpected),
    ("VOIDED", Fixture::LineVoided),
];

/// Fixtures by name.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Ids.
    pub ids: BTreeMap<Fixture, String>,
    /// Lines that may be detached for good.
    pub lines_to_detach: Vec<String>,
    /// Those of [`Found::ids`] that were found, and not named by the target.
    pub discovered: Vec<Fixture>,
}

/// Adds to what the target names whatever its API shows.
///
/// # Errors
/// The deployment does not answer.
pub async fn discover(
    client: &Client,
    keys: &Keys,
    mut found: Found,
) -> Result<Found, ClientError> {
    if let Some(key) = keys.get(Role::All) {
        discover_partners(client, key, &mut found).await?;
        discover_lines(client, key, &mut found).await?;
    }
    if let Some(key) = keys.get(Role::OtherOrganization) {
        let partners = client
            .send(&Call::get("/api/v1/partners?limit=1").with(key))
            .await?;
        add(
            &mut found,
            Fixture::ForeignPartner,
            partners.text("/data/0/id"),
        );
        let lines = client
            .send(&Call::get("/api/v1/commission-lines?limit=1&status=IN_PAYOUT").with(key))
            .await?;
        add(&mut found, Fixture::ForeignLine, lines.text("/data/0/id"));
        add(
            &mut found,
            Fixture::ForeignPayout,
            lines.text("/data/0/payoutId"),
        );
    }
    if let Some(key) = keys.get(Role::NoBilling) {
        let lines = client
            .send(&Call::get("/api/v1/commission-lines?limit=1&status=IN_PAYOUT").with(key))
            .await?;
        add(
            &mut found,
            Fixture::PayoutNoBilling,
            lines.text("/data/0/payoutId"),
        );
    }
    Ok(found)
}

async fn discover_partners(
    client: &Client,
    key: &Secret,
    found: &mut Found,
) -> Result<(), ClientError> {
    let mut cursor = None;
    for _ in 0..PAGES {
        let page = page(client, key, "/api/v1/partners?limit=100", cursor.as_deref()).await?;
        for partner in page.items() {
            let text = |name: &str| partner[name].as_str().unwrap_or_default();
            add(found, Fixture::Partner, text("id"));
            // An externalId that needs no escaping, so that a refusal is about the id.
            if !text("externalId").is_empty()
                && !found.ids.contains_key(&Fixture::PartnerWithExternalId)
            {
                add(found, Fixture::PartnerWithExternalId, text("id"));
                add(found, Fixture::ExternalId, text("externalId"));
            }
            add(found, Fixture::Tier, text("tierId"));
            add(found, Fixture::Phase, text("phaseId"));
            add(
                found,
                Fixture::ExperienceTemplate,
                text("experienceTemplateId"),
            );
            add(
                found,
                Fixture::User,
                partner["owner"]["id"].as_str().unwrap_or_default(),
            );
        }
        cursor = next(&page);
        if cursor.is_none() {
            break;
        }
    }
    Ok(())
}

async fn discover_lines(
    client: &Client,
    key: &Secret,
    found: &mut Found,
) -> Result<(), ClientError> {
    for (status, fixture) in STATUSES {
        let target = format!("/api/v1/commission-lines?limit=1&status={status}");
        let page = page(client, key, &target, None).await?;
        add(found, fixture, page.text("/data/0/id"));
    }
    let target = "/api/v1/commission-lines?limit=100&status=IN_PAYOUT";
    let page = page(client, key, target, None).await?;
    for line in page.items() {
        add(
            found,
            Fixture::Payout,
            line["payoutId"].as_str().unwrap_or_default(),
        );
    }
    Ok(())
}

async fn page(
    client: &Client,
    key: &Secret,
    target: &str,
    cursor: Option<&str>,
) -> Result<Answer, ClientError> {
    let mut call = Call::get(target).with(key);
    if let Some(cursor) = cursor {
        call = call.query("cursor", cursor);
    }
    client.send(&call).await
}

fn next(page: &Answer) -> Option<String> {
    match page.at("/pagination/nextCursor") {
        Value::String(cursor) => Some(cursor.clone()),
        _ => None,
    }
}

fn add(found: &mut Found, fixture: Fixture, id: &str) {
    if !id.is_empty() && !found.ids.contains_key(&fixture) {
        found.ids.insert(fixture, id.to_owned());
        found.discovered.push(fixture);
    }
}
