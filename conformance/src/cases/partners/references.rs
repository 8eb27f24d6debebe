//! Ids of what the organisation does not have (R2): told all at once, after the 404 and after the form.
//!
//! They refuse to take an id of another organisation for one that exists.

use serde_json::{Value, json};

use crate::{
    case::{Case, Changes, Scene, Stop},
    cases::borrowed::{Borrowed, borrows, marked_name, shows},
    exchange::Call,
    target::{Fixture, Role},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-unknown-reference",
        "An unknown tier, phase, template or user is refused, alone and with all of them told at once; nothing is changed.",
        "R2.reference",
        borrows!(unknown),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-reference-of-another-kind",
        "The id of a phase is none of a tier, nor that of a tier one of a phase.",
        "R2.reference",
        borrows!(another_kind),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::Tier, Fixture::Phase])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-reference-order",
        "The form is told before the partner's 404, and this before an unknown reference.",
        "A.order",
        borrows!(order),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-foreign-reference",
        "A tier, phase, template or user of another organisation cannot be assigned.",
        "§5.3",
        borrows!(foreign),
    )
    .on("updatePartner")
    .keys(&[Role::All, Role::OtherOrganization])
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
];

const NOBODY: &str = "nobody-has-this-id";
const NOBODY_ELSE: &str = "nor-this-one";
/// Fields that name something.
const FIELDS: [&str; 4] = [
    "tierId",
    "phaseId",
    "experienceTemplateId",
    "partnerOwnerId",
];

/// The body is refused for what it names, and the partner is what it was.
async fn refuses(
    scene: &mut Scene<'_>,
    partner: &Borrowed,
    body: &Value,
    fields: &[&str],
    before: &Value,
) -> Result<(), Stop> {
    let answer = scene.send(partner.patch(body)).await?;
    if scene.with_decisions() {
        scene.is_error(&answer, 422, "INVALID_REFERENCE")?;
        let issues = fields.iter();
        let issues = issues.map(|field| format!("body /{field} INVALID_REFERENCE"));
        let issues: Vec<String> = issues.collect();
        let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
        scene.has_issues(&answer, &issues)?;
    } else {
        scene.is_violation(&answer, &[])?;
    }
    let after = scene.send(partner.get()).await?;
    shows(&after, before, &[])
}

async fn unknown(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let before = partner.begin(scene).await?;
    // Beside sound fields, which are not taken either.
    let all = json!({
        "name": marked_name(),
        "domain": "not-taken.example",
        "tierId": NOBODY,
        "phaseId": NOBODY,
        "experienceTemplateId": NOBODY_ELSE,
        "partnerOwnerId": NOBODY_ELSE,
    });
    refuses(scene, partner, &all, &FIELDS, &before).await?;
    for field in FIELDS {
        refuses(scene, partner, &json!({ field: NOBODY }), &[field], &before).await?;
    }
    // Beside what the partner has already, too.
    let equal = json!({ "name": before["name"], "domain": before["domain"], "tierId": NOBODY });
    refuses(scene, partner, &equal, &["tierId"], &before).await?;
    Ok(())
}

async fn another_kind(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let (tier, phase) = (
        scene.fixture(Fixture::Tier)?,
        scene.fixture(Fixture::Phase)?,
    );
    let before = partner.begin(scene).await?;
    let body = json!({ "tierId": phase, "phaseId": tier });
    refuses(scene, partner, &body, &["tierId", "phaseId"], &before).await?;
    // A partner is no user, and no template.
    let body = json!({ "partnerOwnerId": partner.id, "experienceTemplateId": partner.id });
    let fields = ["partnerOwnerId", "experienceTemplateId"];
    refuses(scene, partner, &body, &fields, &before).await?;
    // And what exists is not assigned where something beside it does not.
    for (body, field) in [
        (json!({ "tierId": tier, "phaseId": NOBODY }), "phaseId"),
        (json!({ "phaseId": phase, "tierId": NOBODY }), "tierId"),
    ] {
        refuses(scene, partner, &body, &[field], &before).await?;
    }
    // Nor is an id with a blank at its end that id.
    let body = json!({ "tierId": format!(" {tier}"), "phaseId": format!("{phase} ") });
    refuses(scene, partner, &body, &["tierId", "phaseId"], &before).await
}

async fn order(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let before = partner.begin(scene).await?;
    let form = json!({ "tierId": NOBODY, "domain": "" });
    let answer = scene.send(partner.patch(&form)).await?;
    scene.is_violation(&answer, &["body /domain TOO_SHORT"])?;
    let answer = scene.send(partner.patch_by(NOBODY, &form)).await?;
    scene.is_violation(&answer, &["body /domain TOO_SHORT"])?;
    let reference = json!({ "tierId": NOBODY });
    let answer = scene.send(partner.patch_by(NOBODY, &reference)).await?;
    scene.is_error(&answer, 404, "NOT_FOUND")?;
    refuses(scene, partner, &reference, &["tierId"], &before).await
}

async fn foreign(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let other = scene.key(Role::OtherOrganization)?;
    let list = Call::get("/api/v1/partners").query("limit", "100");
    let theirs = scene.given(list.with(&other)).await?;
    let first = |pointer: &str| {
        let mut ids = theirs.items().iter();
        ids.find_map(|item| Some(item.pointer(pointer)?.as_str()?.to_owned()))
    };
    let pointers = ["/tierId", "/phaseId", "/experienceTemplateId", "/owner/id"];
    let before = partner.begin(scene).await?;
    let mut is_tried = false;
    for (field, pointer) in FIELDS.into_iter().zip(pointers) {
        let Some(id) = first(pointer) else {
            continue;
        };
        is_tried = true;
        refuses(scene, partner, &json!({ field: id }), &[field], &before).await?;
    }
    if is_tried {
        return Ok(());
    }
    Err(Stop::missing(
        "a partner of the other organisation with a tier, phase, template or owner",
    ))
}
