//! PATCHes that change nothing, not even `updatedAt` (R2): no field, equal values, an access mode
//! without a template; and that they do not keep another field from changing.

use std::collections::BTreeMap;

use super::shows;
use crate::cases::prelude::*;

/// Requires that these bodies are accepted, and that the partner stays unchanged.
async fn changes_nothing(
    context: &mut CaseContext<'_>,
    partner: &ChangedPartner,
    bodies: &[Value],
) -> CaseResult {
    for body in bodies {
        let response = context.send(partner.patch(body)).await?;
        shows(&response, &partner.renamed, &[])?;
    }
    partner.stays(context).await
}

/// No field of the body is required: {} is accepted and returns the partner.
#[case("§4.3.required", requests = 12)]
async fn without_fields(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    // That updatedAt stays, too, is another decision: partners.unchanged.equal-values.
    let response = partner.accepts(context, json!({})).await?;
    context.snapshot(&response);
    Ok(())
}

/// {} and values that the partner has already change nothing, not even updatedAt.
#[case("R2.equal", requests = 20)]
async fn equal_values(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let now = &partner.renamed;
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
        ("experienceTemplateId", &partner.original["experienceTemplateId"]),
    ] {
        bodies.extend(value.is_string().then(|| json!({ field: value })));
    }
    changes_nothing(context, &partner, &bodies).await
}

/// A value that the partner has already does not keep another field from changing.
#[case("§4.3", on = updatePartner, fixtures(Partner), changes = Restored, requests = 16)]
async fn beside_equal_value(context: &mut CaseContext<'_>) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    for (equal, changed, value) in
        [("name", "domain", "beside-equal.example".to_owned()), ("domain", "name", marked_name())]
    {
        let body = json!({ equal: partner.renamed[equal], changed: value });
        partner.accepts(context, body).await?;
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
#[case("R2.portalAccess", requests = 12)]
async fn portal_access_alone(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let bodies = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"];
    let bodies = bodies.map(|mode| json!({ "portalAccess": mode }));
    changes_nothing(context, &partner, &bodies).await
}

/// A PATCH that is rejected for its scope changes nothing.
#[case("§5.5", keys(All, PartnersRead), requests = 12)]
async fn without_scope(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let body = json!({ "name": marked_name(), "domain": "without-scope.example" });
    let request = partner.patch(&body).with(&context.key(Role::PartnersRead)?);
    context.expect(request, INSUFFICIENT_SCOPE).await?;
    partner.stays(context).await
}

/// portalAccess without experienceTemplateId does not keep another field from changing.
#[case("R2.portalAccess", on = updatePartner, fixtures(Partner), changes = Restored, requests = 12)]
async fn portal_access_beside_name(context: &mut CaseContext<'_>) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    let body = json!({ "portalAccess": "RESTRICTED_DOMAINS", "domain": "beside.example" });
    partner.accepts(context, body).await.map(drop)
}
