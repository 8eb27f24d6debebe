//! Tier, phase, template, owner and access mode (§4.3): each is assigned by its id, and no id is empty.
//!
//! They refuse to assign what the partner has already: nothing would show.

use serde_json::json;

use super::change::{has_moved, is_listed};
use crate::{
    case::{Case, Changes, Scene, Stop},
    cases::borrowed::{Borrowed, borrows, shows},
    target::{Feature, Fixture},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-tier",
        "tierId assigns the tier, and is not empty.",
        "§4.3.tierId",
        borrows!(tier),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::Tier])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-phase",
        "phaseId assigns the phase, and is not empty.",
        "§4.3.phaseId",
        borrows!(phase),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::Phase])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-template",
        "experienceTemplateId publishes the template, and is not empty.",
        "§4.3.experienceTemplateId",
        borrows!(template),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::ExperienceTemplate])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-owner",
        "partnerOwnerId assigns the owner, and is not empty.",
        "§4.3.partnerOwnerId",
        borrows!(owner),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::User])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-portal-access-with-template",
        "portalAccess is accepted together with experienceTemplateId, in both values.",
        "§4.3.portalAccess",
        borrows!(portal_access_with_template),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::ExperienceTemplate])
    .changes(Changes::Restored)
    .requests(20),
];

/// The field takes the fixture's id and shows it here, `updatedAt` moves, and nothing else changes; an empty id is refused.
async fn assigns(
    scene: &mut Scene<'_>,
    partner: &Borrowed,
    field: &str,
    pointer: &str,
    fixture: Fixture,
) -> Result<(), Stop> {
    let other = partner.other(scene, pointer, fixture)?;
    let before = partner.begin(scene).await?;
    let marked = scene.given(partner.get()).await?;
    let answer = scene.send(partner.patch(&json!({ field: other }))).await?;
    let shown = pointer.split('/').nth(1).unwrap_or_default();
    shows(&answer, &before, &[shown, "updatedAt"])?;
    has_moved(&answer, &marked)?;
    // Of a PATCH response the template may be missing (§2.1).
    if answer.at("/data").get(shown).is_some() {
        answer.has(&format!("/data{pointer}"), other.clone())?;
    }
    let read = scene.send(partner.get()).await?;
    read.has(&format!("/data{pointer}"), other)?;
    shows(&read, answer.at("/data"), &[])?;
    is_listed(scene, &read).await?;
    let empty = scene.send(partner.patch(&json!({ field: "" }))).await?;
    scene.is_violation(&empty, &[&format!("body /{field} TOO_SHORT")])?;
    let after = scene.send(partner.get()).await?;
    shows(&after, read.at("/data"), &[])
}

async fn tier(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    assigns(scene, partner, "tierId", "/tierId", Fixture::Tier).await
}

async fn phase(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    assigns(scene, partner, "phaseId", "/phaseId", Fixture::Phase).await
}

async fn template(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let field = "experienceTemplateId";
    let fixture = Fixture::ExperienceTemplate;
    assigns(scene, partner, field, "/experienceTemplateId", fixture).await
}

async fn owner(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    assigns(scene, partner, "partnerOwnerId", "/owner/id", Fixture::User).await
}

/// The last one is what the data set gives the partner: the mode cannot be read, so it cannot be given back otherwise.
const MODES: [&str; 2] = ["RESTRICTED_DOMAINS", "RESTRICTED_USERS"];

async fn portal_access_with_template(
    scene: &mut Scene<'_>,
    partner: &Borrowed,
) -> Result<(), Stop> {
    let pointer = "/experienceTemplateId";
    let other = partner.other(scene, pointer, Fixture::ExperienceTemplate)?;
    partner.begin(scene).await?;
    // With and without a domain: nothing says that a mode needs one.
    for domain in [json!(null), json!("portal-access.example")] {
        let before = scene
            .given(partner.patch(&json!({ "domain": domain })))
            .await?;
        for mode in MODES {
            let body = json!({ "experienceTemplateId": other, "portalAccess": mode });
            let answer = scene.send(partner.patch(&body)).await?;
            let but = ["experienceTemplateId", "updatedAt"];
            shows(&answer, before.at("/data"), &but)?;
            let read = scene.send(partner.get()).await?;
            read.has("/data/experienceTemplateId", other.clone())?;
        }
    }
    if !scene.deployment().features.contains(&Feature::Seeded) {
        scene.remains(format!(
            "portalAccess of partner {} is {}: the API does not show what it was",
            partner.id, MODES[1]
        ));
    }
    Ok(())
}
