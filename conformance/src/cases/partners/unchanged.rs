//! PATCHes that change nothing, not even `updatedAt` (R2): no field, equal values, an access mode
//! without a template; and that they do not keep another field from changing.

use std::collections::BTreeMap;

use super::{keeps, shows};
use crate::cases::prelude::*;

/// Requires that these bodies are accepted, and that the partner stays unchanged.
async fn changes_nothing(
    context: &mut CaseContext<'_>,
    partner: &ChangedPartner,
    bodies: &[Value],
) -> CaseResult {
    let before = context.given(partner.get()).await?;
    for body in bodies {
        let response = context.send(partner.patch(body)).await?;
        shows(&response, before.at("/data"), &[])?;
    }
    let after = context.send(partner.get()).await?;
    shows(&after, before.at("/data"), &[])
}

/// No field of the body is required: {} is accepted and returns the partner.
#[case("§4.3.required", on = updatePartner, fixtures(Partner), changes = Restored, requests = 12)]
async fn without_fields(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let before = partner.renamed.clone();
    let response = context.send(partner.patch(&json!({}))).await?;
    context.snapshot(&response);
    response.is(200)?.has("/data/id", partner.id.as_str())?;
    // That updatedAt stays, too, is another decision: partners.unchanged.equal-values.
    keeps(context, &response, &before, &["updatedAt"])
}

/// {} and values that the partner has already change nothing, not even updatedAt.
#[case("R2.equal", on = updatePartner, fixtures(Partner), changes = Restored, requests = 20)]
async fn equal_values(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let now = partner.renamed.clone();
    let mut bodies = vec![
        json!({}),
        json!({ "name": now["name"], "domain": now["domain"] }),
        json!({ "domain": now["domain"] }),
    ];
    // null cannot be sent.
    for (field, value) in [
        ("tierId", &now["tierId"]),
        ("phaseId", &now["phaseId"]),
        ("partnerOwnerId", &now["owner"]["id"]),
    ] {
        if value.is_string() {
            bodies.push(json!({ field: value }));
        }
    }
    let template = &partner.original["experienceTemplateId"];
    if template.is_string() {
        bodies.push(json!({ "experienceTemplateId": template }));
    }
    changes_nothing(context, partner, &bodies).await
}

/// A value that the partner has already does not keep another field from changing.
#[case("§4.3", on = updatePartner, fixtures(Partner), changes = Restored, requests = 16)]
async fn beside_equal_value(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let mut now = partner.renamed.clone();
    for (equal, changed, value) in
        [("name", "domain", "beside-equal.example".to_owned()), ("domain", "name", marked_name())]
    {
        let body = json!({ equal: now[equal], changed: value });
        let response = context.send(partner.patch(&body)).await?;
        keeps(context, &response, &now, &[changed, "updatedAt"])?;
        response.has(&format!("/data/{changed}"), value)?;
        let read = context.send(partner.get()).await?;
        shows(&read, response.at("/data"), &[])?;
        now = response.at("/data").clone();
    }
    Ok(())
}

/// A partner of any status can be changed.
#[case("R2.equal", on = updatePartner, changes = Restored, requests = 20)]
async fn any_status(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    let changed = context.fixture(Fixture::Partner).unwrap_or_default();
    let others = partners.items.iter().filter(|partner| partner["id"] != *changed);
    let by_status: BTreeMap<_, _> =
        others.map(|partner| (partner["status"].to_string(), partner)).collect();
    CaseOutcome::missing_if(by_status.is_empty(), "a partner besides the fixture partner")?;
    for partner in by_status.into_values() {
        let id = partner["id"].as_str().unwrap_or_default();
        // A body that changes nothing, so that nothing is restored.
        let body = json!({ "name": partner["name"] });
        let request = Request::patch(partner_path(id), &body).with(&context.all()?);
        let response = context.ok(request).await?;
        response.has("/data/id", id)?;
    }
    Ok(())
}

/// portalAccess without experienceTemplateId is accepted and changes nothing, not even updatedAt.
#[case("R2.portalAccess", on = updatePartner, fixtures(Partner), changes = Restored, requests = 12)]
async fn portal_access_alone(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let bodies = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"];
    let bodies = bodies.map(|mode| json!({ "portalAccess": mode }));
    changes_nothing(context, partner, &bodies).await
}

/// A PATCH that is rejected for its scope changes nothing.
#[case("§5.5", on = updatePartner, keys(All, PartnersRead), fixtures(Partner), changes = Restored,
       requests = 12)]
async fn without_scope(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let before = partner.renamed.clone();
    let body = json!({ "name": marked_name(), "domain": "without-scope.example" });
    let request = partner.patch(&body).with(&context.key(Role::PartnersRead)?);
    context.expect(request, INSUFFICIENT_SCOPE).await?;
    let after = context.send(partner.get()).await?;
    shows(&after, &before, &[])
}

/// portalAccess without experienceTemplateId does not keep another field from changing.
#[case("R2.portalAccess", on = updatePartner, fixtures(Partner), changes = Restored, requests = 12)]
async fn portal_access_beside_name(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let before = partner.renamed.clone();
    let domain = "beside.example";
    let body = json!({ "portalAccess": "RESTRICTED_DOMAINS", "domain": domain });
    let response = context.send(partner.patch(&body)).await?;
    shows(&response, &before, &["domain", "updatedAt"])?;
    response.has("/data/domain", domain).map(drop)
}
