//! Ids of what the organisation does not have (R2): told all at once, after the 404 and after the form.
//!
//! They refuse to take an id of another organisation for one that exists.

use serde_json::{Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
    cases::borrowed::{Borrowed, borrows, marked_name, shows},
    exchange::Request,
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
    .changes(Changes::Restored)
    .requests(16),
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
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    body: &Value,
    fields: &[&str],
    before: &Value,
) -> Result<(), CaseOutcome> {
    let response = context.send(partner.patch(body)).await?;
    if context.with_decisions() {
        context.is_error(&response, 422, "INVALID_REFERENCE")?;
        let issues = fields.iter();
        let issues = issues.map(|field| format!("body /{field} INVALID_REFERENCE"));
        let issues: Vec<String> = issues.collect();
        let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
        context.has_issues(&response, &issues)?;
    } else {
        context.is_violation(&response, &[])?;
    }
    let after = context.send(partner.get()).await?;
    shows(&after, before, &[])
}

async fn unknown(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    // Beside sound fields, which are not taken either.
    let all = json!({
        "name": marked_name(),
        "domain": "not-taken.example",
        "tierId": NOBODY,
        "phaseId": NOBODY,
        "experienceTemplateId": NOBODY_ELSE,
        "partnerOwnerId": NOBODY_ELSE,
    });
    refuses(context, partner, &all, &FIELDS, &before).await?;
    for field in FIELDS {
        refuses(
            context,
            partner,
            &json!({ field: NOBODY }),
            &[field],
            &before,
        )
        .await?;
    }
    // Beside what the partner has already, too.
    let equal = json!({ "name": before["name"], "domain": before["domain"], "tierId": NOBODY });
    refuses(context, partner, &equal, &["tierId"], &before).await?;
    Ok(())
}

async fn another_kind(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let (tier, phase) = (
        context.fixture(Fixture::Tier)?,
        context.fixture(Fixture::Phase)?,
    );
    let before = partner.begin(context).await?;
    let body = json!({ "tierId": phase, "phaseId": tier });
    refuses(context, partner, &body, &["tierId", "phaseId"], &before).await?;
    // A partner is no user, and no template.
    let body = json!({ "partnerOwnerId": partner.id, "experienceTemplateId": partner.id });
    let fields = ["partnerOwnerId", "experienceTemplateId"];
    refuses(context, partner, &body, &fields, &before).await?;
    // And what exists is not assigned where something beside it does not.
    for (body, field) in [
        (json!({ "tierId": tier, "phaseId": NOBODY }), "phaseId"),
        (json!({ "phaseId": phase, "tierId": NOBODY }), "tierId"),
    ] {
        refuses(context, partner, &body, &[field], &before).await?;
    }
    // Nor is an id with a blank at its end that id.
    let body = json!({ "tierId": format!(" {tier}"), "phaseId": format!("{phase} ") });
    refuses(context, partner, &body, &["tierId", "phaseId"], &before).await
}

async fn order(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    let form = json!({ "tierId": NOBODY, "domain": "" });
    let response = context.send(partner.patch(&form)).await?;
    context.is_violation(&response, &["body /domain TOO_SHORT"])?;
    let response = context.send(partner.patch_by(NOBODY, &form)).await?;
    context.is_violation(&response, &["body /domain TOO_SHORT"])?;
    let reference = json!({ "tierId": NOBODY });
    let response = context.send(partner.patch_by(NOBODY, &reference)).await?;
    context.is_error(&response, 404, "NOT_FOUND")?;
    refuses(context, partner, &reference, &["tierId"], &before).await
}

async fn foreign(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let other = context.key(Role::OtherOrganization)?;
    let list = Request::get("/api/v1/partners").query("limit", "100");
    let theirs = context.given(list.with(&other)).await?;
    let first = |pointer: &str| {
        let mut ids = theirs.items().iter();
        ids.find_map(|item| Some(item.pointer(pointer)?.as_str()?.to_owned()))
    };
    let pointers = ["/tierId", "/phaseId", "/experienceTemplateId", "/owner/id"];
    let before = partner.begin(context).await?;
    let mut is_tried = false;
    for (field, pointer) in FIELDS.into_iter().zip(pointers) {
        let Some(id) = first(pointer) else {
            continue;
        };
        is_tried = true;
        refuses(context, partner, &json!({ field: id }), &[field], &before).await?;
    }
    if is_tried {
        return Ok(());
    }
    Err(CaseOutcome::missing(
        "a partner of the other organisation with a tier, phase, template or owner",
    ))
}
