//! Authorisation (§5): each operation requires the scope that the specification names, and accepts
//! no other.

use super::keys::every_request;
use crate::cases::prelude::*;

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

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.keys(KEYS);
    { "scopes.list-partners" "§4.1"
      run(requires, Role::PartnersRead, Request::get(LIST), 200)
      "Listing partners requires partners:read; no other scope is enough." .on("listPartners") }
    { "scopes.get-partner" "§4.2" run(get_partner)
      "Reading a partner requires partners:read; no other scope is enough."
      .on("getPartner").fixtures(&[Fixture::Partner]).requests(16) }
    { "scopes.update-partner" "§4.3" run(update_partner)
      "Updating a partner requires partners:write; no other scope is enough."
      .on("updatePartner").fixtures(&[Fixture::Partner]).requests(16) }
    { "scopes.list-lines" "§4.4" run(list_lines)
      "Listing commission lines requires commissions:read; no other scope is enough."
      .on("listCommissionLines").requests(12) }
    { "scopes.detach-line" "§4.5"
      run(requires_on, Fixture::LineUnattached, Role::CommissionsWrite, detaching, 422)
      "Detaching a line requires commissions:write; no other scope is enough."
      .on("detachCommissionLine").fixtures(&[Fixture::LineUnattached]) }
    { "scopes.get-payout" "§4.6"
      run(requires_on, Fixture::Payout, Role::CommissionsRead, payout, 200)
      "Reading a payout requires commissions:read; no other scope is enough."
      .on("getPayout").fixtures(&[Fixture::Payout]) }
    { "scopes.generate-statement" "§4.7"
      run(requires_on, Fixture::Payout, Role::CommissionsWrite, statement, 200)
      "Generating a statement requires commissions:write; no other scope is enough."
      .on("generateStatement").fixtures(&[Fixture::Payout]).changes(Changes::Restored) }
    { "scopes.refusal-names-scope" "E.details" run(refusal_names_scope)
      "A 403 names the scope that the operation requires."
      .keys(&[Role::All, Role::AffiliateWrite]) }
};

/// That the request gets this status with this key, and 403 with each other one.
async fn requires(
    context: &mut CaseContext<'_>,
    required: Role,
    request: Request,
    status: u16,
) -> CaseResult {
    let response = context.send(request.clone().with(&context.key(required)?)).await?;
    response.is(status)?;
    for role in SCOPED.into_iter().filter(|role| *role != required) {
        context.expect(request.clone().with(&context.key(role)?), INSUFFICIENT_SCOPE).await?;
    }
    Ok(())
}

async fn get_partner(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(partner_path(&context.fixture(Fixture::Partner)?));
    requires(context, Role::PartnersRead, request, 200).await?;
    if let Ok(external) = context.fixture(Fixture::ExternalId) {
        let request = Request::get(partner_path(&external));
        requires(context, Role::PartnersRead, request, 200).await?;
    }
    Ok(())
}

async fn update_partner(context: &mut CaseContext<'_>) -> CaseResult {
    // No field is required, and none is named: nothing changes.
    let target = partner_path(&context.fixture(Fixture::Partner)?);
    let request = Request::patch(target, &json!({}));
    requires(context, Role::PartnersWrite, request, 200).await?;
    if let Ok(external) = context.fixture(Fixture::ExternalId)
        && context.judges("R1")
    {
        let target = partner_path(&external);
        let request = Request::patch(target, &json!({}));
        requires(context, Role::PartnersWrite, request, 200).await?;
    }
    Ok(())
}

async fn list_lines(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get("/api/v1/commission-lines?limit=1");
    requires(context, Role::CommissionsRead, request.clone(), 200).await?;
    // Filters do not change the required scope.
    let mut filters = vec![("status", "PENDING".to_owned())];
    for (name, fixture) in [("partnerId", Fixture::Partner), ("payoutId", Fixture::Payout)] {
        filters.extend(context.fixture(fixture).ok().map(|id| (name, id)));
    }
    let other = context.key(Role::PartnersRead)?;
    for (name, value) in filters {
        let filtered = request.clone().query(name, &value).with(&other);
        context.expect(filtered, INSUFFICIENT_SCOPE).await?;
    }
    Ok(())
}

/// The same for a request about a fixture.
async fn requires_on(
    context: &mut CaseContext<'_>,
    fixture: Fixture,
    required: Role,
    request: fn(&str) -> Request,
    status: u16,
) -> CaseResult {
    let request = request(&context.fixture(fixture)?);
    requires(context, required, request, status).await
}

/// Of a line in no payout: a key with the scope gets 422, and nothing changes.
fn detaching(line: &str) -> Request {
    Request::post(format!("/api/v1/commission-lines/{line}/detach"))
}

fn payout(id: &str) -> Request {
    Request::get(format!("/api/v1/payouts/{id}"))
}

fn statement(id: &str) -> Request {
    Request::post(format!("/api/v1/payouts/{id}/statement"))
}

async fn refusal_names_scope(context: &mut CaseContext<'_>) -> CaseResult {
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
    for ((_, request), scope) in every_request().into_iter().zip(scopes) {
        let response = context.send(request.with(&key)).await?;
        response.is(403)?.has("/error/details/requiredScope", scope)?;
    }
    Ok(())
}
