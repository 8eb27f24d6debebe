//! Bodies that are refused (§4.3, R2, R3, R4), and the partner is what it was.
//!
//! They refuse to send a broken field alone only: beside a sound one, neither may be taken.

use serde_json::{Map, Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
    cases::borrowed::{Borrowed, borrows, marked_name, shows},
    target::Fixture,
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-wrong-type",
        "A number, boolean, list or object where a string is due is refused, for every field.",
        "R3",
        borrows!(wrong_type),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(28),
    Case::new(
        "partners.patch-null",
        "null is refused for every field but domain.",
        "R2.null",
        borrows!(null),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-unknown-field",
        "A field that a PATCH does not have is refused, also one that a partner shows.",
        "R2.unknown",
        borrows!(unknown_field),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(20),
    Case::new(
        "partners.patch-no-object",
        "A body that is no object is refused.",
        "R4.422",
        borrows!(no_object),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-several-violations",
        "All violations of a body are told at once, and nothing of it is taken.",
        "R4.422",
        borrows!(several_violations),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-portal-access-unknown",
        "portalAccess is one of its two values, in their letters.",
        "§4.3.portalAccess",
        borrows!(portal_access_unknown),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
];

/// The fields of a PATCH.
const FIELDS: [&str; 7] = [
    "name",
    "domain",
    "portalAccess",
    "tierId",
    "experienceTemplateId",
    "phaseId",
    "partnerOwnerId",
];

/// Each body is refused with these issues, and after all of them the partner is what its control, a sound PATCH, made of it.
async fn refuses(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    bodies: &[(Value, Vec<String>)],
) -> Result<(), CaseOutcome> {
    let before = partner.begin(context).await?;
    for (body, issues) in bodies {
        let response = context.send(partner.patch(body)).await?;
        let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
        context.is_violation(&response, &issues)?;
    }
    let after = context.send(partner.get()).await?;
    shows(&after, &before, &[])
}

/// Every field with this value.
fn all_fields<'a>(fields: impl IntoIterator<Item = &'a str>, value: &Value) -> Value {
    let fields = fields.into_iter();
    Value::Object(
        fields
            .map(|field| (field.to_owned(), value.clone()))
            .collect::<Map<_, _>>(),
    )
}

async fn wrong_type(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let mut bodies = Vec::new();
    let issue = |field: &str| format!("body /{field} WRONG_TYPE");
    for value in [json!(1), json!(true), json!([]), json!({}), json!(["a"])] {
        let issues = FIELDS.into_iter().map(issue).collect();
        bodies.push((all_fields(FIELDS, &value), issues));
    }
    // And alone: what is told beside others may be overlooked by itself.
    for field in FIELDS {
        bodies.push((json!({ field: 1 }), vec![issue(field)]));
        bodies.push((json!({ field: false }), vec![issue(field)]));
    }
    refuses(context, partner, &bodies).await
}

async fn null(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let fields = || FIELDS.into_iter().filter(|field| *field != "domain");
    let issue = |field: &str| format!("body /{field} NOT_NULLABLE");
    let mut bodies = vec![(
        all_fields(fields(), &Value::Null),
        fields().map(issue).collect(),
    )];
    for field in fields() {
        bodies.push((json!({ field: null }), vec![issue(field)]));
    }
    refuses(context, partner, &bodies).await
}

async fn unknown_field(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let unknown = [
        "surprise",
        "Name",
        "id",
        "externalId",
        "managerEmail",
        "categories",
        "owner",
        "status",
        "createdAt",
        "updatedAt",
        "organizationId",
        "crmProperties",
    ];
    // Beside a sound field, which is not taken either.
    let refused = |field: &str, value: Value| {
        let body = json!({ "name": marked_name(), field: value });
        (body, vec![format!("body /{field} UNKNOWN_FIELD")])
    };
    let mut bodies: Vec<_> = unknown
        .iter()
        .map(|field| refused(field, json!("x")))
        .collect();
    // Whoever drops nulls before looking at names takes these.
    bodies.extend(["surprise", "owner"].map(|field| refused(field, json!(null))));
    refuses(context, partner, &bodies).await
}

async fn no_object(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let named = || json!({ "name": marked_name() });
    let bodies = [
        (json!([]), "WRONG_TYPE"),
        (json!([named()]), "WRONG_TYPE"),
        (json!("text"), "WRONG_TYPE"),
        (json!(1), "WRONG_TYPE"),
        (json!(true), "WRONG_TYPE"),
        (json!(null), "NOT_NULLABLE"),
    ];
    let bodies = bodies.map(|(body, code)| (body, vec![format!("body  {code}")]));
    refuses(context, partner, &bodies).await
}

async fn several_violations(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let body = json!({
        "name": "",
        "domain": "d".repeat(256),
        "tierId": 5,
        "phaseId": null,
        "portalAccess": "PUBLIC",
        "surprise": 1,
        // Sound, and not taken.
        "experienceTemplateId": "x",
    });
    let issues = [
        "body /name TOO_SHORT",
        "body /domain TOO_LONG",
        "body /tierId WRONG_TYPE",
        "body /phaseId NOT_NULLABLE",
        "body /portalAccess NOT_IN_ENUM",
        "body /surprise UNKNOWN_FIELD",
    ];
    let one = json!({ "domain": "taken.example", "name": "n".repeat(201) });
    let bodies = [
        (body, issues.map(str::to_owned).to_vec()),
        (one, vec!["body /name TOO_LONG".to_owned()]),
    ];
    refuses(context, partner, &bodies).await?;
    // Those of the query are told beside those of the body.
    let request = partner.patch(&json!({ "name": "" })).query("surprise", "1");
    let response = context.send(request).await?;
    let issues = ["query /surprise UNKNOWN_PARAMETER", "body /name TOO_SHORT"];
    context.is_violation(&response, &issues)
}

async fn portal_access_unknown(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let modes = [
        "PUBLIC",
        "restricted_users",
        "RESTRICTED",
        " RESTRICTED_USERS",
        "",
    ];
    let issue = || vec!["body /portalAccess NOT_IN_ENUM".to_owned()];
    let bodies = modes.map(|mode| (json!({ "portalAccess": mode }), issue()));
    refuses(context, partner, &bodies).await
}
