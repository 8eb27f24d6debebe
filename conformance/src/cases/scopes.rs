//! What a key may do (§5): each operation wants the scope that the specification names for it, and no other one will do.

use serde_json::json;

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    exchange::{Call, call::escaped},
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

/// The call passes with this key alone: with it the answer has this status, with each other one it is 403.
async fn wants(scene: &mut Scene<'_>, wanted: Role, call: &Call, status: u16) -> Result<(), Stop> {
    let answer = scene.send(call.clone().with(&scene.key(wanted)?)).await?;
    answer.is(status)?;
    for role in SCOPED.into_iter().filter(|role| *role != wanted) {
        let answer = scene.send(call.clone().with(&scene.key(role)?)).await?;
        scene.is_error(&answer, 403, "INSUFFICIENT_SCOPE")?;
    }
    Ok(())
}

async fn list_partners(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get("/api/v1/partners?limit=1");
    wants(scene, Role::PartnersRead, &call, 200).await
}

async fn get_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get(format!(
        "/api/v1/partners/{}",
        scene.fixture(Fixture::Partner)?
    ));
    wants(scene, Role::PartnersRead, &call, 200).await?;
    if let Ok(external) = scene.fixture(Fixture::ExternalId) {
        let call = Call::get(format!("/api/v1/partners/{}", escaped(&external)));
        wants(scene, Role::PartnersRead, &call, 200).await?;
    }
    Ok(())
}

async fn update_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // No field is required, and none is named: nothing changes.
    let target = format!("/api/v1/partners/{}", scene.fixture(Fixture::Partner)?);
    let call = Call::patch(target, &json!({}));
    wants(scene, Role::PartnersWrite, &call, 200).await?;
    if let Ok(external) = scene.fixture(Fixture::ExternalId) {
        let target = format!("/api/v1/partners/{}", escaped(&external));
        let call = Call::patch(target, &json!({}));
        wants(scene, Role::PartnersWrite, &call, 200).await?;
    }
    Ok(())
}

async fn list_lines(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get("/api/v1/commission-lines?limit=1");
    wants(scene, Role::CommissionsRead, &call, 200).await?;
    // However few are asked for: they are told to nobody else.
    let mut filters = vec![("status", "PENDING".to_owned())];
    for (name, fixture) in [
        ("partnerId", Fixture::Partner),
        ("payoutId", Fixture::Payout),
    ] {
        filters.extend(scene.fixture(fixture).ok().map(|id| (name, id)));
    }
    let other = scene.key(Role::PartnersRead)?;
    for (name, value) in filters {
        let filtered = call.clone().query(name, &value).with(&other);
        let answer = scene.send(filtered).await?;
        scene.is_error(&answer, 403, "INSUFFICIENT_SCOPE")?;
    }
    Ok(())
}

async fn detach_line(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // A line that is in no payout: whoever passes is answered 422, and nothing changes.
    let line = scene.fixture(Fixture::LineUnattached)?;
    let call = Call::post(format!("/api/v1/commission-lines/{line}/detach"));
    wants(scene, Role::CommissionsWrite, &call, 422).await
}

async fn get_payout(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let call = Call::get(format!(
        "/api/v1/payouts/{}",
        scene.fixture(Fixture::Payout)?
    ));
    wants(scene, Role::CommissionsRead, &call, 200).await
}

async fn generate_statement(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let payout = scene.fixture(Fixture::Payout)?;
    let call = Call::post(format!("/api/v1/payouts/{payout}/statement"));
    wants(scene, Role::CommissionsWrite, &call, 200).await
}

async fn refusal_names_scope(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::AffiliateWrite)?;
    let scopes = [
        "partners:read",
        "partners:read",
        "partners:write",
        "commissions:read",
        "commissions:write",
        "commissions:read",
        "commissions:write",
    ];
    for ((_, call), scope) in super::keys::every_call().into_iter().zip(scopes) {
        let answer = scene.send(call.with(&key)).await?;
        answer.is(403)?.has("/error/details/requiredScope", scope)?;
    }
    Ok(())
}
