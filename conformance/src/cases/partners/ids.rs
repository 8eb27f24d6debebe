//! Tier, phase, template, owner and access mode (§4.3): each is assigned by its id, other than the
//! current one.

use super::change::{has_moved, is_listed};
use super::{keeps, shows};
use crate::cases::prelude::*;

/// tierId assigns the tier; an empty one is rejected.
#[case("§4.3.tierId", on = updatePartner, fixtures(Partner, Tier), changes = Restored,
       requests = 20)]
async fn tier(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    assigns(context, partner, "tierId", Fixture::Tier).await
}

/// phaseId assigns the phase; an empty one is rejected.
#[case("§4.3.phaseId", on = updatePartner, fixtures(Partner, Phase), changes = Restored,
       requests = 20)]
async fn phase(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    assigns(context, partner, "phaseId", Fixture::Phase).await
}

/// experienceTemplateId publishes the template; an empty one is rejected.
#[case("§4.3.experienceTemplateId", on = updatePartner, fixtures(Partner, ExperienceTemplate),
       changes = Restored, requests = 20)]
async fn template(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    assigns(context, partner, "experienceTemplateId", Fixture::ExperienceTemplate).await
}

/// partnerOwnerId assigns the owner; an empty one is rejected.
#[case("§4.3.partnerOwnerId", on = updatePartner, fixtures(Partner, User), changes = Restored,
       requests = 20)]
async fn owner(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    assigns(context, partner, "partnerOwnerId", Fixture::User).await
}

/// Requires that a field takes the fixture's id and shows it, that `updatedAt` moves and nothing
/// else changes, and that an empty id is rejected.
async fn assigns(
    context: &mut CaseContext<'_>,
    partner: &ChangedPartner,
    field: &str,
    fixture: Fixture,
) -> CaseResult {
    let pointer = if field == "partnerOwnerId" { "/owner/id" } else { &format!("/{field}") };
    let other = partner.other(context, pointer, fixture)?;
    let before = partner.renamed.clone();
    let marked = context.given(partner.get()).await?;
    let request = partner.patch(&json!({ field: other }));
    let response = context.send(request).await?;
    let shown = pointer.split('/').nth(1).unwrap_or_default();
    keeps(context, &response, &before, &[shown, "updatedAt"])?;
    has_moved(&response, &marked)?;
    // A PATCH response may leave the template out (§2.1).
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

/// The last one is the partner's own in the data set: the mode cannot be read, so it is restored
/// so.
const MODES: [&str; 2] = ["RESTRICTED_DOMAINS", "RESTRICTED_USERS"];

/// portalAccess is accepted together with experienceTemplateId, in both values.
#[case("§4.3.portalAccess", on = updatePartner, fixtures(Partner, ExperienceTemplate),
       changes = Restored, requests = 24)]
async fn portal_access_with_template(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let pointer = "/experienceTemplateId";
    let other = partner.other(context, pointer, Fixture::ExperienceTemplate)?;
    let outcome = assigns_modes(context, partner, &other).await;
    if outcome.is_err() || !context.deployment().features.contains(&Feature::Seeded) {
        context.remains(format!(
            "portalAccess of partner {} may be changed: the API does not show what it was",
            partner.id
        ));
    }
    outcome
}

async fn assigns_modes(
    context: &mut CaseContext<'_>,
    partner: &ChangedPartner,
    template: &str,
) -> CaseResult {
    // With and without a domain: no clause requires one.
    for domain in [json!(null), json!("portal-access.example")] {
        let request = partner.patch(&json!({ "domain": domain }));
        let before = context.given(request).await?;
        for mode in MODES {
            let body = json!({ "experienceTemplateId": template, "portalAccess": mode });
            let response = context.send(partner.patch(&body)).await?;
            let but = ["experienceTemplateId", "updatedAt"];
            keeps(context, &response, before.at("/data"), &but)?;
            let read = context.send(partner.get()).await?;
            read.has("/data/experienceTemplateId", template)?;
        }
    }
    Ok(())
}
