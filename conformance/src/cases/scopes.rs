//! What a key may do (§5): each operation wants the scope that the specification names for it, and no other one will do.

use serde_json::json;

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Request, request::escaped},
    target::{Fixture, Role},
};

const SCOPED: [Role; 6] = [
    Role::PartnersRead,
    Role::PartnersWrite,
    Role::CommissionsRead,
    Role::CommissionsWrite,
    Role::AffiliateWrite,
    Role::PortalSessionsWrite,
];
const KEYS: &[Role] = &[
    Role::All,
    Role::PartnersRead,
    Role::PartnersWrite,
    Role::CommissionsRead,
    Role::CommissionsWrite,
    Role::AffiliateWrite,
    Role::PortalSessionsWrite,
];

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "scopes.list-partners",
        "Listing partners wants partners:read, and no other scope will do.",
        "§4.1",
        runs!(list_partners),
    )
    .on("listPartners")
    .keys(KEYS),
    Case::new(
        "scopes.get-partner",
        "Reading a partner wants partners:read, and no other scope will do.",
        "§4.2",
        runs!(get_partner),
    )
    .on("getPartner")
    .keys(KEYS)
    .fixtures(&[Fixture::Partner])
    .requests(16),
    Case::new(
        "scopes.update-partner",
        "Updating a partner wants partners:write, and no other scope will do.",
        "§4.3",
        runs!(update_partner),
    )
    .on("updatePartner")
    .keys(KEYS)
    .fixtures(&[Fixture::Partner])
    .requests(16),
    Case::new(
        "scopes.list-lines",
        "Listing commission lines wants commissions:read, and no other scope will do.",
        "§4.4",
        runs!(list_lines),
    )
    .on("listCommissionLines")
    .keys(KEYS)
    .requests(12),
    Case::new(
        "scopes.detach-line",
        "Detaching a line wants commissions:write, and no other scope will do.",
        "§4.5",
        runs!(detach_line),
    )
    .on("detachCommissionLine")
    .keys(KEYS)
    .fixtures(&[Fixture::LineUnattached]),
    Case::new(
        "scopes.get-payout",
        "Reading a payout wants commissions:read, and no other scope will do.",
        "§4.6",
        runs!(get_payout),
    )
    .on("getPayout")
    .keys(KEYS)
    .fixtures(&[Fixture::Payout]),
    Case::new(
        "scopes.generate-statement",
        "Generating a statement wants commissions:write, and no other scope will do.",
        "§4.7",
        runs!(generate_statement),
    )
    .on("generateStatement")
    .keys(KEYS)
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored),
    Case::new(
        "scopes.refusal-names-scope",
        "A 403 names the scope that the operation wants.",
        "E.details",
        runs!(refusal_names_scope),
    )
    .keys(&[Role::All, Role::AffiliateWrite]),
];

/// The request passes with this key alone: with it the response has this status, with each other one it is 403.
async fn wants(
    context: &mut CaseContext<'_>,
    wanted: Role,
    request: &Request,
    status: u16,
) -> Result<(), CaseOutcome> {
    let response = context
        .send(request.clone().with(&context.key(wanted)?))
        .await?;
    response.is(status)?;
    for role in SCOPED.into_iter().filter(|role| *role != wanted) {
        let response = context
            .send(request.clone().with(&context.key(role)?))
            .await?;
        context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
    }
    Ok(())
}

async fn list_partners(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get("/api/v1/partners?limit=1");
    wants(context, Role::PartnersRead, &request, 200).await
}

async fn get_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(format!(
        "/api/v1/partners/{}",
        context.fixture(Fixture::Partner)?
    ));
    wants(context, Role::PartnersRead, &request, 200).await?;
    if let Ok(external) = context.fixture(Fixture::ExternalId) {
        let request = Request::get(format!("/api/v1/partners/{}", escaped(&external)));
        wants(context, Role::PartnersRead, &request, 200).await?;
    }
    Ok(())
}

async fn update_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // No field is required, and none is named: nothing changes.
    let target = format!("/api/v1/partners/{}", context.fixture(Fixture::Partner)?);
    let request = Request::patch(target, &json!({}));
    wants(context, Role::PartnersWrite, &request, 200).await?;
    if let Ok(external) = context.fixture(Fixture::ExternalId) {
        let target = format!("/api/v1/partners/{}", escaped(&external));
        let request = Request::patch(target, &json!({}));
        wants(context, Role::PartnersWrite, &request, 200).await?;
    }
    Ok(())
}

async fn list_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get("/api/v1/commission-lines?limit=1");
    wants(context, Role::CommissionsRead, &request, 200).await?;
    // However few are asked for: they are told to nobody else.
    let mut filters = vec![("status", "PENDING".to_owned())];
    for (name, fixture) in [
        ("partnerId", Fixture::Partner),
        ("payoutId", Fixture::Payout),
    ] {
        filters.extend(context.fixture(fixture).ok().map(|id| (name, id)));
    }
    let other = context.key(Role::PartnersRead)?;
    for (name, value) in filters {
        let filtered = request.clone().query(name, &value).with(&other);
        let response = context.send(filtered).await?;
        context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
    }
    Ok(())
}

async fn detach_line(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // A line that is in no payout: whoever passes is answered 422, and nothing changes.
    let line = context.fixture(Fixture::LineUnattached)?;
    let request = Request::post(format!("/api/v1/commission-lines/{line}/detach"));
    wants(context, Role::CommissionsWrite, &request, 422).await
}

async fn get_payout(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(format!(
        "/api/v1/payouts/{}",
        context.fixture(Fixture::Payout)?
    ));
    wants(context, Role::CommissionsRead, &request, 200).await
}

async fn generate_statement(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let payout = context.fixture(Fixture::Payout)?;
    let request = Request::post(format!("/api/v1/payouts/{payout}/statement"));
    wants(context, Role::CommissionsWrite, &request, 200).await
}

async fn refusal_names_scope(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::AffiliateWrite)?;
    let scopes = [
        "partners:read",
        "partners:read",
        "partners:write",
        "commissions:read",
        "commissions:write",
        "commissions:read",
        "commissions:write",
    ];
    for ((_, request), scope) in super::keys::every_request().into_iter().zip(scopes) {
        let response = context.send(request.with(&key)).await?;
        response
            .is(403)?
            .has("/error/details/requiredScope", scope)?;
    }
    Ok(())
}
