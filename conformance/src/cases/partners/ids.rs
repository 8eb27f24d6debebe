//! Tier, phase, template, owner and access mode (§4.3): each is assigned by its id, and no id is empty.
//!
//! They refuse to assign what the partner has already: nothing would show.

use serde_json::json;

use super::change::{has_moved, is_listed};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
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
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    field: &str,
    pointer: &str,
    fixture: Fixture,
) -> Result<(), CaseOutcome> {
    let other = partner.other(context, pointer, fixture)?;
    let before = partner.begin(context).await?;
    let marked = context.given(partner.get()).await?;
    let response = context
        .send(partner.patch(&json!({ field: other })))
        .await?;
    let shown = pointer.split('/').nth(1).unwrap_or_default();
    shows(&response, &before, &[shown, "updatedAt"])?;
    has_moved(&response, &marked)?;
    // Of a PATCH response the template may be missing (§2.1).
    if response.at("/data").get(shown).is_some() {
        response.has(&format!("/data{pointer}"), other.clone())?;
    }
    let read = context.send(partner.get()).await?;
    read.has(&format!("/data{pointer}"), other)?;
    shows(&read, response.at("/data"), &[])?;
    is_listed(context, &read).await?;
    let empty = context.send(partner.patch(&json!({ field: "" }))).await?;
    context.is_violation(&empty, &[&format!("body /{field} TOO_SHORT")])?;
    let after = context.send(partner.get()).await?;
    shows(&after, read.at("/data"), &[])
}

async fn tier(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    assigns(context, partner, "tierId", "/tierId", Fixture::Tier).await
}

async fn phase(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    assigns(context, partner, "phaseId", "/phaseId", Fixture::Phase).await
}

async fn template(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let field = "experienceTemplateId";
    let fixture = Fixture::ExperienceTemplate;
    assigns(context, partner, field, "/experienceTemplateId", fixture).await
}

async fn owner(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    assigns(
        context,
        partner,
        "partnerOwnerId",
        "/owner/id",
        Fixture::User,
    )
    .await
}

/// The last one is what the data set gives the partner: the mode cannot be read, so it cannot be given back otherwise.
const MODES: [&str; 2] = ["RESTRICTED_DOMAINS", "RESTRICTED_USERS"];

async fn portal_access_with_template(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let pointer = "/experienceTemplateId";
    let other = partner.other(context, pointer, Fixture::ExperienceTemplate)?;
    partner.begin(context).await?;
    // With and without a domain: nothing says that a mode needs one.
    for domain in [json!(null), json!("portal-access.example")] {
        let before = context
            .given(partner.patch(&json!({ "domain": domain })))
            .await?;
        for mode in MODES {
            let body = json!({ "experienceTemplateId": other, "portalAccess": mode });
            let response = context.send(partner.patch(&body)).await?;
            let but = ["experienceTemplateId", "updatedAt"];
            shows(&response, before.at("/data"), &but)?;
            let read = context.send(partner.get()).await?;
            read.has("/data/experienceTemplateId", other.clone())?;
        }
    }
    if !context.deployment().features.contains(&Feature::Seeded) {
        context.remains(format!(
            "portalAccess of partner {} is {}: the API does not show what it was",
            partner.id, MODES[1]
        ));
    }
    Ok(())
}
