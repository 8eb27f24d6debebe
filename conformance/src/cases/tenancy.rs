//! Isolation of organisations (§1, §5.3) where an id is not enough: by `externalId`, and after a
//! refused detach.

use super::walk::{LINES, find};
use crate::cases::prelude::*;

const OTHERS: [Role; 2] = [Role::OtherOrganization, Role::NoBilling];
/// Partners of each that are tried.
const TRIED: usize = 5;

/// The foreign partner, as its own organisation sees it.
async fn foreign_partner(context: &mut CaseContext<'_>) -> CaseResult<Response> {
    let foreign = context.fixture(Fixture::ForeignPartner)?;
    let key = context.key(Role::OtherOrganization)?;
    context.given(Request::get(partner_path(&foreign)).with(&key)).await
}

/// The externalId of another organisation's partner never leads to that partner.
#[case("§4.2.organisation", on = getPartner, keys(All, OtherOrganization), requests = 32)]
async fn get_partner_by_external_id(context: &mut CaseContext<'_>) -> CaseResult {
    let mut tried = 0;
    for role in OTHERS {
        let Ok(key) = context.key(role) else {
            continue;
        };
        let partners = Request::get("/api/v1/partners?limit=100").with(&key);
        let partners = context.given(partners).await?;
        let named = |partner: &&Value| partner["externalId"].is_string();
        // One that the key's own organisation has too leads to its own partner, and proves little.
        for partner in partners.items().iter().filter(named).take(TRIED) {
            tried += 1;
            finds_none_of(context, partner).await?;
        }
    }
    CaseOutcome::missing_if(tried == 0, "a foreign partner with an externalId")?;
    Ok(())
}

/// That neither reading nor changing by a foreign externalId leads to that partner.
async fn finds_none_of(context: &mut CaseContext<'_>, foreign: &Value) -> CaseResult {
    let external = foreign["externalId"].as_str().unwrap_or_default();
    let path = partner_path(external);
    for request in [Request::get(path.clone()), Request::patch(path, &json!({}))] {
        let response = context.send(request.with(&context.all()?)).await?;
        response.that(
            response.status == 404
                || response.status.is_client_error() && !context.judges("A10")
                || response.is_success() && response.at("/data/id") != &foreign["id"],
            "The externalId of another organisation's partner led to that partner.",
            "404, or a partner of the key's own organisation",
            &response.shown(),
        )?;
    }
    Ok(())
}

/// Where partners of two organisations share an externalId, each organisation gets its own partner.
#[case("§1.1", on = getPartner, keys(All, OtherOrganization), fixtures(ForeignPartner))]
async fn own_partner_by_shared_external_id(context: &mut CaseContext<'_>) -> CaseResult {
    let foreign = foreign_partner(context).await?;
    let external = foreign.text("/data/externalId").to_owned();
    let path = partner_path(&external);
    let request = Request::get(path.clone()).with(&context.all()?);
    let own = context.send(request).await?;
    CaseOutcome::missing_if(
        external.is_empty() || own.status.is_client_error(),
        "two organisations whose partners share an externalId",
    )?;
    own.is(200)?;
    let other = context.key(Role::OtherOrganization)?;
    let theirs = context.ok(Request::get(path).with(&other)).await?;
    theirs.has("/data/id", foreign.text("/data/id"))?;
    own.that(
        own.text("/data/id") != theirs.text("/data/id"),
        "One externalId led two organisations to the same partner.",
        "a partner of each organisation's own",
        own.text("/data/id"),
    )
}

/// A refused detach of another organisation's line leaves it where it was.
#[case("§5.3", on = detachCommissionLine, keys(All, OtherOrganization), fixtures(ForeignLine,
       ForeignPayout), requests = 12)]
async fn detach_line(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::ForeignLine)?;
    let other = context.key(Role::OtherOrganization)?;
    let payout = context.fixture(Fixture::ForeignPayout)?;
    let detach = Request::post(format!("/api/v1/commission-lines/{line}/detach"));
    context.expect(detach.with(&context.all()?), NOT_FOUND).await?;
    // And it is where it was.
    let list = LINES.filtered(&other, &[("payoutId", &payout)]);
    let (found, lines) = find(context, &list, &line).await?;
    if found.is_some() {
        return Ok(());
    }
    Err(lines.failed(
        "A detach of another organisation's line returned 404 and detached the line all the same.",
        format!("{line} among the lines of {payout}"),
        "it is no longer there",
    ))
}
