//! PATCHes that change nothing, not even `updatedAt` (R2): no field, equal values, an access mode
//! without a template; and that they do not keep another field from changing.

use std::collections::BTreeMap;

use super::{keeps, shows};
use crate::cases::prelude::*;

/// That these bodies are accepted, and the partner stays unchanged.
async fn changes_nothing(
    context: &mut CaseContext<'_>,
    partner: &LockedPartner,
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
#[case("§4.3.required", on = updatePartner, lock(partner))]
async fn without_fields(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let before = partner.begin(context).await?;
    let response = context.send(partner.patch(&json!({}))).await?;
    context.snapshot(&response);
    response.is(200)?.has("/data/id", partner.id.as_str())?;
    // That updatedAt stays, too, is another decision: partners.unchanged.equal-values.
    keeps(context, &response, &before, &["updatedAt"])
}

/// {} and values that the partner has already change nothing, not even updatedAt.
#[case("R2.equal", on = updatePartner, lock(partner), requests = 16)]
async fn equal_values(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let now = partner.begin(context).await?;
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
#[case("§4.3", on = updatePartner, lock(partner), requests = 12)]
async fn beside_equal_value(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let mut now = partner.begin(context).await?;
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
    // By a body that changes nothing, because these partners are not locked.
    let partners = known(context, PARTNERS).await?;
    // Another run may be changing the locked one.
    let locked = context.fixture(Fixture::Partner).unwrap_or_default();
    let others = partners.items.iter();
    let others = others.filter(|partner| partner["id"] != *locked);
    let by_status: BTreeMap<_, _> =
        others.map(|partner| (partner["status"].to_string(), partner)).collect();
    CaseOutcome::missing_if(by_status.is_empty(), "a partner besides the fixture partner")?;
    let is_ours = context.deployment().features.contains(&Feature::Seeded);
    for partner in by_status.into_values() {
        let id = partner["id"].as_str().unwrap_or_default();
        // Elsewhere another client may rename it now, which this would undo.
        let body = if is_ours { json!({ "name": partner["name"] }) } else { json!({}) };
        let request = Request::patch(partner_path(id), &body).with(&context.all()?);
        let response = context.ok(request).await?;
        response.has("/data/id", id)?;
    }
    Ok(())
}

/// portalAccess without experienceTemplateId is accepted and changes nothing, not even updatedAt.
#[case("R2.portalAccess", on = updatePartner, lock(partner))]
async fn portal_access_alone(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    partner.begin(context).await?;
    let bodies = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"];
    let bodies = bodies.map(|mode| json!({ "portalAccess": mode }));
    changes_nothing(context, partner, &bodies).await
}

/// A PATCH that is rejected for its scope changes nothing.
#[case("§5.5", on = updatePartner, lock(partner), keys(All, PartnersRead))]
async fn without_scope(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let before = partner.begin(context).await?;
    let body = json!({ "name": marked_name(), "domain": "without-scope.example" });
    let request = partner.patch(&body).with(&context.key(Role::PartnersRead)?);
    context.expect(request, INSUFFICIENT_SCOPE).await?;
    let after = context.send(partner.get()).await?;
    shows(&after, &before, &[])
}

/// portalAccess without experienceTemplateId does not keep another field from changing.
#[case("R2.portalAccess", on = updatePartner, lock(partner))]
async fn portal_access_beside_name(
    context: &mut CaseContext<'_>,
    partner: &LockedPartner,
) -> CaseResult {
    let before = partner.begin(context).await?;
    let domain = "beside.example";
    let body = json!({ "portalAccess": "RESTRICTED_DOMAINS", "domain": domain });
    let response = context.send(partner.patch(&body)).await?;
    shows(&response, &before, &["domain", "updatedAt"])?;
    response.has("/data/domain", domain).map(drop)
}
