//! Bodies that are rejected (§4.3, R2, R3, R4), after which the partner is unchanged.

use super::shows;
use crate::cases::prelude::*;
use crate::isolation::marked_name;

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("updatePartner").fixtures(&[Fixture::Partner]).changes(Changes::Restored);
    { "partners.patch-wrong-type" "R3" lock_partner(wrong_type)
      "A number, boolean, list or object in place of a string is rejected, for every field."
      .requests(28) }
    { "partners.patch-null" "R2.null" lock_partner(null)
      "null is rejected for every field but domain." .requests(16) }
    { "partners.patch-unknown-field" "R2.unknown" lock_partner(unknown_field)
      "An unknown field in a PATCH is rejected, also one that a partner shows." .requests(20) }
    { "partners.patch-no-object" "R4.422" lock_partner(no_object)
      "A body that is not an object is rejected." .requests(12) }
    { "partners.patch-several-violations" "R4.422" lock_partner(several_violations)
      "All violations of a body are reported at once, and nothing of it is stored." }
    { "partners.patch-portal-access-unknown" "§4.3.portalAccess" lock_partner(portal_access_unknown)
      "portalAccess accepts its two values only, case-sensitively." .requests(12) }
};

const FIELDS: [&str; 7] = [
    "name",
    "domain",
    "portalAccess",
    "tierId",
    "experienceTemplateId",
    "phaseId",
    "partnerOwnerId",
];

/// That each body is rejected with these issues, and the partner stays as the control, a valid
/// PATCH, made it.
async fn rejects(
    context: &mut CaseContext<'_>,
    partner: &LockedPartner,
    bodies: &[(Value, Vec<String>)],
) -> CaseResult {
    let before = partner.begin(context).await?;
    for (body, issues) in bodies {
        let response = context.send(partner.patch(body)).await?;
        let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
        context.is_violation(&response, &issues)?;
    }
    let after = context.send(partner.get()).await?;
    shows(&after, &before, &[])
}

fn all_fields<'a>(fields: impl IntoIterator<Item = &'a str>, value: &Value) -> Value {
    let fields = fields.into_iter();
    Value::Object(fields.map(|field| (field.to_owned(), value.clone())).collect::<Map<_, _>>())
}

async fn wrong_type(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let mut bodies = Vec::new();
    let issue = |field: &str| format!("body /{field} WRONG_TYPE");
    for value in [json!(1), json!(true), json!([]), json!({}), json!(["a"])] {
        let issues = FIELDS.into_iter().map(issue).collect();
        bodies.push((all_fields(FIELDS, &value), issues));
    }
    // And alone: a violation that is reported with others may be missed by itself.
    for field in FIELDS {
        bodies.push((json!({ field: 1 }), vec![issue(field)]));
        bodies.push((json!({ field: false }), vec![issue(field)]));
    }
    rejects(context, partner, &bodies).await
}

async fn null(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let fields = || FIELDS.into_iter().filter(|field| *field != "domain");
    let issue = |field: &str| format!("body /{field} NOT_NULLABLE");
    let mut bodies = vec![(all_fields(fields(), &Value::Null), fields().map(issue).collect())];
    for field in fields() {
        bodies.push((json!({ field: null }), vec![issue(field)]));
    }
    rejects(context, partner, &bodies).await
}

async fn unknown_field(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
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
    // Together with a valid field, which is not stored either.
    let rejected = |field: &str, value: Value| {
        let body = json!({ "name": marked_name(), field: value });
        (body, vec![format!("body /{field} UNKNOWN_FIELD")])
    };
    let mut bodies: Vec<_> = unknown.iter().map(|field| rejected(field, json!("x"))).collect();
    // A deployment that drops nulls first accepts these.
    bodies.extend(["surprise", "owner"].map(|field| rejected(field, json!(null))));
    rejects(context, partner, &bodies).await
}

async fn no_object(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
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
    rejects(context, partner, &bodies).await
}

async fn several_violations(context: &mut CaseContext<'_>, partner: &LockedPartner) -> CaseResult {
    let body = json!({
        "name": "",
        "domain": "d".repeat(256),
        "tierId": 5,
        "phaseId": null,
        "portalAccess": "PUBLIC",
        "surprise": 1,
        // Valid, and not stored.
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
    let bodies =
        [(body, issues.map(str::to_owned).to_vec()), (one, vec!["body /name TOO_LONG".to_owned()])];
    rejects(context, partner, &bodies).await?;
    // Violations of query and body are reported together.
    let request = partner.patch(&json!({ "name": "" })).query("surprise", "1");
    let response = context.send(request).await?;
    let issues = ["query /surprise UNKNOWN_PARAMETER", "body /name TOO_SHORT"];
    context.is_violation(&response, &issues)
}

async fn portal_access_unknown(
    context: &mut CaseContext<'_>,
    partner: &LockedPartner,
) -> CaseResult {
    let modes = ["PUBLIC", "restricted_users", "RESTRICTED", " RESTRICTED_USERS", ""];
    let issue = || vec!["body /portalAccess NOT_IN_ENUM".to_owned()];
    let bodies = modes.map(|mode| (json!({ "portalAccess": mode }), issue()));
    rejects(context, partner, &bodies).await
}
