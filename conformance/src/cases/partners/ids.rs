//! Tier, phase, template, owner and access mode (§4.3): each is assigned by its id, other than the
//! current one.

use super::{
    change::{has_moved, is_listed},
    pointer,
};
use crate::cases::prelude::*;

/// tierId assigns the tier; an empty one is rejected.
#[case("§4.3.tierId", on = updatePartner, fixtures(Partner, Tier), changes = Restored,
       requests = 20)]
async fn tier(context: &mut CaseContext<'_>) -> CaseResult {
    assigns(context, "tierId", Fixture::Tier).await
}

/// phaseId assigns the phase; an empty one is rejected.
#[case("§4.3.phaseId", on = updatePartner, fixtures(Partner, Phase), changes = Restored,
       requests = 20)]
async fn phase(context: &mut CaseContext<'_>) -> CaseResult {
    assigns(context, "phaseId", Fixture::Phase).await
}

/// experienceTemplateId publishes the template; an empty one is rejected.
#[case("§4.3.experienceTemplateId", on = updatePartner, fixtures(Partner, ExperienceTemplate),
       changes = Restored, requests = 20)]
async fn template(context: &mut CaseContext<'_>) -> CaseResult {
    assigns(context, "experienceTemplateId", Fixture::ExperienceTemplate).await
}

/// partnerOwnerId assigns the owner; an empty one is rejected.
#[case("§4.3.partnerOwnerId", on = updatePartner, fixtures(Partner, User), changes = Restored,
       requests = 20)]
async fn owner(context: &mut CaseContext<'_>) -> CaseResult {
    assigns(context, "partnerOwnerId", Fixture::User).await
}

/// Requires that a field takes the fixture's id and shows it, that `updatedAt` moves and nothing
/// else changes, and that an empty id is rejected.
async fn assigns(context: &mut CaseContext<'_>, field: &str, fixture: Fixture) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    let other = partner.other(context, &pointer(field).unwrap_or_default(), fixture)?;
    let before = context.given(partner.get()).await?;
    let response = partner.accepts(context, json!({ field: other })).await?;
    has_moved(&response, &before)?;
    let read = context.send(partner.get()).await?;
    is_listed(context, &read).await?;
    partner.rejects(context, json!({ field: "" }), "TOO_SHORT", &[field]).await
}

/// The last one is the partner's own in the data set: the mode cannot be read, so it is restored
/// so.
const MODES: [&str; 2] = ["RESTRICTED_DOMAINS", "RESTRICTED_USERS"];

/// portalAccess is accepted together with experienceTemplateId, in both values.
#[case("§4.3.portalAccess", on = updatePartner, fixtures(Partner, ExperienceTemplate),
       changes = Restored, requests = 24)]
async fn portal_access_with_template(context: &mut CaseContext<'_>) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    let pointer = "/experienceTemplateId";
    let template = partner.other(context, pointer, Fixture::ExperienceTemplate)?;
    let outcome = assigns_modes(context, &mut partner, &template).await;
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
    partner: &mut ChangedPartner,
    template: &str,
) -> CaseResult {
    // With and without a domain: no clause requires one.
    for domain in [json!(null), json!("portal-access.example")] {
        partner.accepts(context, json!({ "domain": domain })).await?;
        for mode in MODES {
            let body = json!({ "experienceTemplateId": template, "portalAccess": mode });
            partner.accepts(context, body).await?;
        }
    }
    Ok(())
}
