//! What changes nothing (R2): no field, equal values, an access mode without a template; and that it keeps nothing else from changing.
//!
//! They refuse to overlook `updatedAt`: a client that syncs by it would fetch what did not change.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::{
        borrowed::{Borrowed, borrows, marked_name, shows},
        lists::walk::{PARTNERS, known},
    },
    exchange::Request,
    target::{Feature, Fixture, Role},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-without-fields",
        "No field of the body is required: {} is accepted, and answers with the partner.",
        "§4.3.required",
        borrows!(without_fields),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-equal-values",
        "{} and values that the partner has already change nothing, updatedAt neither.",
        "R2.equal",
        borrows!(equal_values),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-beside-equal-value",
        "A value that the partner has already does not keep another field from changing.",
        "§4.3",
        borrows!(beside_equal_value),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-any-status",
        "A partner of any status may be changed.",
        "§4.3",
        runs!(any_status),
    )
    .on("updatePartner")
    .changes(Changes::Restored)
    .requests(20),
    Case::new(
        "partners.patch-portal-access-alone",
        "portalAccess without experienceTemplateId is accepted, and changes nothing, updatedAt neither.",
        "R2.portalAccess",
        borrows!(portal_access_alone),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-portal-access-beside-name",
        "portalAccess without experienceTemplateId does not keep another field from changing.",
        "R2.portalAccess",
        borrows!(portal_access_beside_name),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-without-scope",
        "A PATCH that is refused for its scope changes nothing.",
        "§5.5",
        borrows!(without_scope),
    )
    .on("updatePartner")
    .keys(&[Role::All, Role::PartnersRead])
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
];

/// These bodies are accepted, and the partner is what it was.
async fn changes_nothing(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    bodies: &[Value],
) -> Result<(), CaseOutcome> {
    let before = context.given(partner.get()).await?;
    for body in bodies {
        let response = context.send(partner.patch(body)).await?;
        shows(&response, before.at("/data"), &[])?;
    }
    let after = context.send(partner.get()).await?;
    shows(&after, before.at("/data"), &[])
}

async fn without_fields(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    let response = context.send(partner.patch(&json!({}))).await?;
    context.snapshot(&response);
    // Whether updatedAt moves, the specification leaves open: partners.patch-equal-values.
    shows(&response, &before, &["updatedAt"])
}

async fn equal_values(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let now = partner.begin(context).await?;
    let mut bodies = vec![
        json!({}),
        json!({ "name": now["name"], "domain": now["domain"] }),
        json!({ "domain": now["domain"] }),
    ];
    // What is null cannot be sent.
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

async fn beside_equal_value(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let mut now = partner.begin(context).await?;
    for (equal, changed, value) in [
        ("name", "domain", "beside-equal.example".to_owned()),
        ("domain", "name", marked_name()),
    ] {
        let body = json!({ equal: now[equal], changed: value });
        let response = context.send(partner.patch(&body)).await?;
        shows(&response, &now, &[changed, "updatedAt"])?;
        response.has(&format!("/data/{changed}"), value)?;
        let read = context.send(partner.get()).await?;
        shows(&read, response.at("/data"), &[])?;
        now = response.at("/data").clone();
    }
    Ok(())
}

/// By a body that changes nothing, for these partners are not lent to anyone: that it is accepted shows enough.
async fn any_status(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    // Any but the one that is borrowed: what it has may be another run's.
    let borrowed = context.fixture(Fixture::Partner).unwrap_or_default();
    let others = partners.items.iter();
    let others = others.filter(|partner| partner["id"] != *borrowed);
    let by_status: BTreeMap<_, _> = others
        .map(|partner| (partner["status"].to_string(), partner))
        .collect();
    if by_status.is_empty() {
        return Err(CaseOutcome::missing(
            "a partner besides the fixture partner",
        ));
    }
    let is_ours = context.deployment().features.contains(&Feature::Seeded);
    for partner in by_status.into_values() {
        let id = partner["id"].as_str().unwrap_or_default();
        // Elsewhere somebody may rename it just now, which this would undo.
        let body = if is_ours {
            json!({ "name": partner["name"] })
        } else {
            json!({})
        };
        let request = Request::patch(format!("/api/v1/partners/{id}"), &body).with(&context.all()?);
        let response = context.send(request).await?;
        response.is(200)?.has("/data/id", id)?;
    }
    Ok(())
}

async fn portal_access_alone(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    let bodies = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"];
    let bodies = bodies.map(|mode| json!({ "portalAccess": mode }));
    changes_nothing(context, partner, &bodies).await
}

async fn without_scope(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    let body = json!({ "name": marked_name(), "domain": "without-scope.example" });
    let request = partner.patch(&body).with(&context.key(Role::PartnersRead)?);
    let response = context.send(request).await?;
    context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
    let after = context.send(partner.get()).await?;
    shows(&after, &before, &[])
}

async fn portal_access_beside_name(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    let domain = "beside.example";
    let body = json!({ "portalAccess": "RESTRICTED_DOMAINS", "domain": domain });
    let response = context.send(partner.patch(&body)).await?;
    shows(&response, &before, &["domain", "updatedAt"])?;
    response.has("/data/domain", domain)?;
    Ok(())
}
