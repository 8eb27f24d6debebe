//! Ids of what the organisation does not have (R2): all reported at once, after the 404 and the
//! form.

use super::shows;
use crate::cases::prelude::*;

const OTHER_UNKNOWN_ID: &str = "nor-this-one";
/// Fields that refer to something.
const FIELDS: [&str; 4] = ["tierId", "phaseId", "experienceTemplateId", "partnerOwnerId"];

/// Requires that the body is rejected for its references, and that the partner stays unchanged.
async fn rejects(
    context: &mut CaseContext<'_>,
    partner: &ChangedPartner,
    body: &Value,
    fields: &[&str],
    before: &Value,
) -> CaseResult {
    let response = context.send(partner.patch(body)).await?;
    context.is_error(&response, INVALID_REFERENCE)?;
    let issues = fields.iter();
    let issues = issues.map(|field| format!("body /{field} INVALID_REFERENCE"));
    let issues: Vec<String> = issues.collect();
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    context.has_issues(&response, &issues)?;
    let after = context.send(partner.get()).await?;
    shows(&after, before, &[])
}

/// Unknown tiers, phases, templates and users are rejected, all at once, and nothing is stored.
#[case("R2.reference", on = updatePartner, fixtures(Partner), changes = Restored, requests = 20)]
async fn unknown(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let before = partner.renamed.clone();
    // Together with valid fields, which are not stored either.
    let all = json!({
        "name": marked_name(),
        "domain": "not-taken.example",
        "tierId": UNKNOWN_ID,
        "phaseId": UNKNOWN_ID,
        "experienceTemplateId": OTHER_UNKNOWN_ID,
        "partnerOwnerId": OTHER_UNKNOWN_ID,
    });
    rejects(context, partner, &all, &FIELDS, &before).await?;
    for field in FIELDS {
        rejects(context, partner, &json!({ field: UNKNOWN_ID }), &[field], &before).await?;
    }
    // Together with equal values, too.
    let equal = json!({ "name": before["name"], "domain": before["domain"], "tierId": UNKNOWN_ID });
    rejects(context, partner, &equal, &["tierId"], &before).await?;
    Ok(())
}

/// The id of a phase is not accepted as a tier, nor that of a tier as a phase.
#[case("R2.reference", on = updatePartner, fixtures(Partner, Tier, Phase), changes = Restored,
       requests = 20)]
async fn another_kind(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let (tier, phase) = (context.fixture(Fixture::Tier)?, context.fixture(Fixture::Phase)?);
    let before = partner.renamed.clone();
    let body = json!({ "tierId": phase, "phaseId": tier });
    rejects(context, partner, &body, &["tierId", "phaseId"], &before).await?;
    // A partner's id is no user's and no template's.
    let body = json!({ "partnerOwnerId": partner.id, "experienceTemplateId": partner.id });
    let fields = ["partnerOwnerId", "experienceTemplateId"];
    rejects(context, partner, &body, &fields, &before).await?;
    // A valid reference is not assigned together with an unknown one.
    for (body, field) in [
        (json!({ "tierId": tier, "phaseId": UNKNOWN_ID }), "phaseId"),
        (json!({ "phaseId": phase, "tierId": UNKNOWN_ID }), "tierId"),
    ] {
        rejects(context, partner, &body, &[field], &before).await?;
    }
    // Blanks around an id are not trimmed.
    let body = json!({ "tierId": format!(" {tier}"), "phaseId": format!("{phase} ") });
    rejects(context, partner, &body, &["tierId", "phaseId"], &before).await
}

/// The form is checked before the partner's 404, and this before references.
#[case("A.order", on = updatePartner, fixtures(Partner), changes = Restored, requests = 12)]
async fn order(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let before = partner.renamed.clone();
    let form = json!({ "tierId": UNKNOWN_ID, "domain": "" });
    let response = context.send(partner.patch(&form)).await?;
    context.is_violation(&response, &["body /domain TOO_SHORT"])?;
    let response = context.send(partner.patch_by(UNKNOWN_ID, &form)).await?;
    context.is_violation(&response, &["body /domain TOO_SHORT"])?;
    let reference = json!({ "tierId": UNKNOWN_ID });
    let request = partner.patch_by(UNKNOWN_ID, &reference);
    context.expect(request, NOT_FOUND).await?;
    rejects(context, partner, &reference, &["tierId"], &before).await
}

/// A tier, phase, template or user of another organisation cannot be assigned.
#[case("§5.3", on = updatePartner, keys(All, OtherOrganization), fixtures(Partner),
       changes = Restored, requests = 20)]
async fn foreign(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = &ChangedPartner::new(context).await?;
    let other = context.key(Role::OtherOrganization)?;
    let list = PARTNERS.request(&other).query("limit", &LARGEST.to_string());
    let theirs = context.given(list).await?;
    let first = |pointer: &str| {
        let mut ids = theirs.items().iter();
        ids.find_map(|item| Some(item.pointer(pointer)?.as_str()?.to_owned()))
    };
    let pointers = ["/tierId", "/phaseId", "/experienceTemplateId", "/owner/id"];
    let before = partner.renamed.clone();
    if !context.judges("R2.reference") {
        // Where no reference is checked, assigning a foreign one reaches nothing of its owner's.
        let unknown = context.send(partner.patch(&json!({ "tierId": UNKNOWN_ID }))).await?;
        let what = "a deployment that rejects the id of a tier that does not exist";
        CaseOutcome::missing_if(unknown.is_success(), what)?;
    }
    let mut is_tried = false;
    for (field, pointer) in FIELDS.into_iter().zip(pointers) {
        let Some(id) = first(pointer) else {
            continue;
        };
        is_tried = true;
        rejects(context, partner, &json!({ field: id }), &[field], &before).await?;
    }
    if is_tried {
        return Ok(());
    }
    Err(CaseOutcome::missing(
        "a partner of the other organisation with a tier, phase, template or owner",
    ))
}
