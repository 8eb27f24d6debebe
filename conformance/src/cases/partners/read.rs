//! Which partner an id names (§4.2, R1, R3, R5), and that ids which only resemble one name none.

use crate::cases::prelude::*;

/// A listed partner for which something holds; the one that cases change only where there is no
/// other.
async fn some_partner(
    context: &mut CaseContext<'_>,
    holds: impl Fn(&Value) -> bool,
    what: &str,
) -> CaseResult<Value> {
    let locked = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    let mut found: Vec<&Value> = partners.items.iter().filter(|item| holds(item)).collect();
    found.sort_by_key(|item| item["id"] == locked);
    let found = found.first().copied().cloned();
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
#[case("§4.2.id", on = getPartner, retry)]
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

/// Ids that a careless look-up takes for this one: those of [`nearly`], and more.
fn resembling(id: &str) -> Vec<String> {
    let [cut, _, with_parameter, _] = nearly(id);
    let mut ids = vec![
        UNKNOWN_ID.to_owned(),
        format!("{id}x"),
        format!("{id} "),
        format!(" {id}"),
        format!("{cut}_"),
        format!("{cut}%"),
        "%".to_owned(),
        format!("{id}/"),
        with_parameter,
        format!("{id}' OR '1'='1"),
        "null".to_owned(),
        "*".to_owned(),
        "x".repeat(2_000),
        format!("0{id}"),
    ];
    ids.extend(id.split_once('_').map(|(_, rest)| rest.to_owned()));
    ids.extend([cut, id.to_lowercase(), id.to_uppercase()]);
    ids.retain(|other| !other.is_empty());
    ids
}

/// An id that only resembles a partner's id is 404.
#[case("A.order", on = getPartner, requests = 72)]
async fn unknown_id(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    let taken: Vec<&str> = partners
        .items
        .iter()
        .flat_map(|partner| [partner["id"].as_str(), partner["externalId"].as_str()])
        .flatten()
        .collect();
    // A careless look-up takes an id of digits for a number.
    let is_number = |id: &&&str| id.bytes().all(|byte| byte.is_ascii_digit());
    let number = taken.iter().filter(|id| !id.is_empty()).find(is_number);
    let first = taken.first().ok_or_else(|| CaseOutcome::missing("a partner"))?;
    // An externalId with letters is case-sensitive.
    let externals = partners.items.iter();
    let mut externals = externals.filter_map(|partner| partner["externalId"].as_str());
    let lettered =
        externals.find(|id| id.is_ascii() && id.bytes().any(|byte| byte.is_ascii_alphabetic()));
    for id in std::iter::once(first).chain(number).chain(&lettered) {
        // The control: the id itself is found.
        get(context, id).await?.is(200)?;
        let others = resembling(id).into_iter();
        for other in others.filter(|other| !taken.contains(&&**other)) {
            let response = get(context, &other).await?;
            context.is_error(&response, NOT_FOUND)?;
        }
    }
    let companies = partners.items.iter();
    let companies = companies.filter_map(|partner| partner["externalCompanyId"].as_str());
    let company = companies.filter(|id| !id.is_empty()).find(|id| !taken.contains(id));
    if let Some(company) = company {
        let response = get(context, company).await?;
        context.is_error(&response, NOT_FOUND)?;
    }
    Ok(())
}
