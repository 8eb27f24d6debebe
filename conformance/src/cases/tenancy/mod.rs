//! Isolation of organisations (§1, §5.3) where an id is not enough: by `externalId`, and after a
//! refused detach.

mod faults;

use super::walk::find;
use crate::cases::{lines::detaching, prelude::*};

const OTHERS: [Role; 2] = [Role::OtherOrganization, Role::NoBilling];
/// Partners of each that are tried.
const TRIED: usize = 5;

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

/// Requires that neither reading nor changing by a foreign externalId leads to that partner.
async fn finds_none_of(context: &mut CaseContext<'_>, foreign: &Value) -> CaseResult {
    let external = foreign["externalId"].as_str().unwrap_or_default();
    let path = partner_path(external);
    for request in [Request::get(path.clone()), Request::patch(path, &json!({}))] {
        let response = context.send(request.with(&context.all()?)).await?;
        response.must(
            response.status == 404
                || response.status.is_client_error() && !context.judges("A10")
                || response.is_success() && response.at("/data/id") != &foreign["id"],
            "The externalId of another organisation's partner led to that partner.",
            "404, or a partner of the key's own organisation",
        )?;
    }
    Ok(())
}

/// A refused detach of another organisation's line leaves it where it was.
#[case("§5.3", on = detachCommissionLine, keys(All, OtherOrganization), fixtures(ForeignLine,
       ForeignPayout), requests = 12)]
async fn detach_line(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::ForeignLine)?;
    let other = context.key(Role::OtherOrganization)?;
    let payout = context.fixture(Fixture::ForeignPayout)?;
    context.expect(detaching(context, &line)?, NOT_FOUND).await?;
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

/// A statement of another organisation's payout is 404.
#[case("§4.7.5", on = generateStatement, keys(All, OtherOrganization), fixtures(ForeignPayout))]
async fn generate_statement(context: &mut CaseContext<'_>) -> CaseResult {
    let path = format!("/api/v1/payouts/{}", context.fixture(Fixture::ForeignPayout)?);
    let other = context.key(Role::OtherOrganization)?;
    context.given(Request::get(&path).with(&other)).await?;
    let request = Request::post(format!("{path}/statement")).with(&context.all()?);
    context.send(request).await?.is(404).map(drop)
}
