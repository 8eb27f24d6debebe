//! Bodies that are rejected (§4.3, R2, R3, R4), after which the partner is unchanged.

use super::shows;
use crate::cases::prelude::*;

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

/// All violations of a body are reported at once, and nothing of it is stored.
#[case("R4.422", on = updatePartner, lock(partner))]
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
