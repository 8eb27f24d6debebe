//! Ids of what the organisation does not have (R2): all reported at once, after the 404 and the
//! form.

use crate::cases::prelude::*;

const CODE: &str = INVALID_REFERENCE.1;
const OTHER_UNKNOWN_ID: &str = "nor-this-one";
/// Fields that refer to something, and where partners show what they refer to.
const FIELDS: [(&str, &str); 4] = [
    ("tierId", "/tierId"),
    ("phaseId", "/phaseId"),
    ("experienceTemplateId", "/experienceTemplateId"),
    ("partnerOwnerId", "/owner/id"),
];

/// Unknown tiers, phases, templates and users are rejected, all at once, and nothing is stored.
#[case("R2.reference", requests = 20)]
async fn unknown(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    // Together with valid fields, which are not stored either.
    let all = json!({
        "name": marked_name(),
        "domain": "not-taken.example",
        "tierId": UNKNOWN_ID,
        "phaseId": UNKNOWN_ID,
        "experienceTemplateId": OTHER_UNKNOWN_ID,
        "partnerOwnerId": OTHER_UNKNOWN_ID,
    });
    partner.rejects(context, all, CODE, &FIELDS.map(|(field, _)| field)).await?;
    for (field, _) in FIELDS {
        partner.rejects(context, json!({ field: UNKNOWN_ID }), CODE, &[field]).await?;
    }
    // Together with equal values, too.
    let now = &partner.renamed;
    let equal = json!({ "name": now["name"], "domain": now["domain"], "tierId": UNKNOWN_ID });
    partner.rejects(context, equal, CODE, &["tierId"]).await
}

/// The id of a phase is not accepted as a tier, nor that of a tier as a phase.
#[case("R2.reference", fixtures(Partner, Tier, Phase), requests = 20)]
async fn another_kind(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let (tier, phase) = (context.fixture(Fixture::Tier)?, context.fixture(Fixture::Phase)?);
    let id = &partner.id;
    let (blank_tier, blank_phase) = (format!(" {tier}"), format!("{phase} "));
    for (body, fields) in [
        (json!({ "tierId": phase, "phaseId": tier }), &["tierId", "phaseId"][..]),
        // A partner's id is no user's and no template's.
        (
            json!({ "partnerOwnerId": id, "experienceTemplateId": id }),
            &["partnerOwnerId", "experienceTemplateId"],
        ),
        // A valid reference is not assigned together with an unknown one.
        (json!({ "tierId": tier, "phaseId": UNKNOWN_ID }), &["phaseId"]),
        (json!({ "phaseId": phase, "tierId": UNKNOWN_ID }), &["tierId"]),
        // Blanks around an id are not trimmed.
        (json!({ "tierId": blank_tier, "phaseId": blank_phase }), &["tierId", "phaseId"]),
    ] {
        partner.rejects(context, body, CODE, fields).await?;
    }
    Ok(())
}

/// The form is checked before the partner's 404, and this before references.
#[case("A.order", requests = 12)]
async fn order(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let form = json!({ "tierId": UNKNOWN_ID, "domain": "" });
    for id in [partner.id.as_str(), UNKNOWN_ID] {
        let response = context.send(partner.patch_by(id, &form)).await?;
        context.is_violation(&response, &["body /domain TOO_SHORT"])?;
    }
    let reference = json!({ "tierId": UNKNOWN_ID });
    context.expect(partner.patch_by(UNKNOWN_ID, &reference), NOT_FOUND).await?;
    partner.rejects(context, reference, CODE, &["tierId"]).await
}

/// A tier, phase, template or user of another organisation cannot be assigned.
#[case("§5.3", keys(All, OtherOrganization), requests = 20)]
async fn foreign(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let other = context.key(Role::OtherOrganization)?;
    let list = PARTNERS.request(&other).query("limit", &LARGEST.to_string());
    let theirs = context.given(list).await?;
    if !context.judges("R2.reference") {
        // Where no reference is checked, assigning a foreign one reaches nothing of its owner's.
        let unknown = context.send(partner.patch(&json!({ "tierId": UNKNOWN_ID }))).await?;
        let what = "a deployment that rejects the id of a tier that does not exist";
        CaseOutcome::missing_if(unknown.is_success(), what)?;
    }
    let mut is_tried = false;
    for (field, pointer) in FIELDS {
        let id = |item: &Value| Some(item.pointer(pointer)?.as_str()?.to_owned());
        let Some(id) = theirs.items().iter().find_map(id) else { continue };
        is_tried = true;
        partner.rejects(context, json!({ field: id }), CODE, &[field]).await?;
    }
    let what = "a partner of the other organisation with a tier, phase, template or owner";
    CaseOutcome::missing_if(!is_tried, what)
}
