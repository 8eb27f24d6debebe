//! Which partner an id names (§4.2, R1, R3, R5), and that ids which only resemble one name none.

use crate::cases::prelude::*;

/// Returns a listed partner for which something holds.
async fn some_partner(
    context: &mut CaseContext<'_>,
    holds: impl Fn(&Value) -> bool,
    what: &str,
) -> CaseResult<Value> {
    let partners = known(context, PARTNERS).await?;
    let found = partners.items.into_iter().find(holds);
    found.ok_or_else(|| CaseOutcome::missing(what))
}

async fn get(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Response> {
    let request = Request::get(partner_path(id));
    context.send(request.with(&context.all()?)).await
}

/// A partner is read by its service id.
#[case("§4.2", on = getPartner)]
async fn by_id(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = some_partner(context, |_| true, "a partner").await?;
    let id = partner["id"].as_str().unwrap_or_default();
    let response = get(context, id).await?;
    response.is(200)?.has("/data/id", id)?;
    context.snapshot(&response);
    // An escape means its letter, also where none is needed.
    let escaped: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let request = Request::get(format!("/api/v1/partners/{escaped}")).with(&context.all()?);
    let same = context.ok(request).await?;
    same.has("/data/id", id).map(drop)
}

/// Reading a partner by its externalId returns the same as by its service id.
#[case("§4.2.id", on = getPartner, requests = 12)]
async fn by_external_id(context: &mut CaseContext<'_>) -> CaseResult {
    let has_one = |partner: &Value| {
        partner["externalId"].as_str() > Some("") && partner["externalId"] != partner["id"]
    };
    let partner = some_partner(context, has_one, "a partner with an externalId").await?;
    let text = |name: &str| partner[name].as_str().unwrap_or_default();
    let one = get(context, text("id")).await?;
    let other = get(context, text("externalId")).await?;
    // An externalId that is another's service id names that one: partners.read.service-id-first.
    CaseOutcome::missing_if(
        other.is_success() && other.at("/data/id") == other.at("/data/externalId"),
        "an externalId that is not another partner's service id",
    )?;
    other.is(200)?.has("/data", one.at("/data").clone())?;
    other.has("/data/externalId", text("externalId"))?;
    context.snapshot(&one);
    context.snapshot(&other);
    // Ids that only resemble it name no other partner, unless they are another one's.
    for nearly in nearly(text("externalId")) {
        let response = get(context, &nearly).await?;
        response.must(
            !response.is_success() || response.at("/data/id") != &partner["id"],
            "An id that only resembles an externalId leads to its partner.",
            "404, or another partner",
        )?;
    }
    Ok(())
}

/// An externalId with a slash, blank or percent sign is read by its percent-encoded form.
#[case("§4.2.id", on = getPartner)]
async fn by_escaped_external_id(context: &mut CaseContext<'_>) -> CaseResult {
    let needs_escaping = |partner: &Value| {
        let id = partner["externalId"].as_str();
        id.is_some_and(|id| escaped(id) != id)
    };
    let what = "a partner whose externalId must be percent-encoded";
    let partner = some_partner(context, needs_escaping, what).await?;
    let external = partner["externalId"].as_str().unwrap_or_default();
    let response = get(context, external).await?;
    response.is(200)?.has("/data/id", partner["id"].clone())?.has("/data/externalId", external)?;
    context.snapshot(&response);
    Ok(())
}

/// Where an id is one partner's service id and another's externalId, it names the first.
#[case("R1", on = getPartner, fixtures(Partner, ShadowPartner))]
async fn service_id_first(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = context.fixture(Fixture::Partner)?;
    let shadow = context.fixture(Fixture::ShadowPartner)?;
    let other = get(context, &shadow).await?;
    CaseOutcome::missing_if(
        !other.is_success() || other.text("/data/externalId") != partner,
        "a shadow_partner whose externalId is the id of partner",
    )?;
    other.has("/data/id", shadow)?;
    let response = get(context, &partner).await?;
    response.is(200)?.has("/data/id", partner).map(drop)
}
