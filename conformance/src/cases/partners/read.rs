//! Which partner an id names (§4.2, R1, R3, R5).
//!
//! They refuse an id that is nearly one: a wildcard, another case, a blank.

use serde_json::Value;

use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    cases::{
        lists::walk::{PARTNERS, known},
        steady::steady,
    },
    exchange::{Request, Response, request::escaped},
    target::Fixture,
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.get-by-id",
        "A partner is read by its service id.",
        "§4.2",
        runs!(by_id),
    )
    .on("getPartner"),
    Case::new(
        "partners.get-by-external-id",
        "A partner is read by its externalId, and is the same as by its service id.",
        "§4.2.id",
        steady!(by_external_id),
    )
    .on("getPartner"),
    Case::new(
        "partners.get-by-escaped-external-id",
        "An externalId with a slash, a blank or a percent sign is read as it is written, percent-encoded.",
        "§4.2.id",
        runs!(by_escaped),
    )
    .on("getPartner"),
    Case::new(
        "partners.get-service-id-first",
        "Where an id is one partner's service id and another's externalId, it names the first.",
        "R1",
        runs!(service_id_first),
    )
    .on("getPartner")
    .fixtures(&[Fixture::Partner, Fixture::ShadowPartner]),
    Case::new(
        "partners.get-unknown-id",
        "An id that is only nearly a partner's finds nothing.",
        "§7.404",
        runs!(unknown),
    )
    .on("getPartner")
    .requests(72),
    Case::new(
        "partners.get-id-with-nul",
        "U+0000 in a path's id is 404.",
        "R3",
        runs!(nul),
    )
    .on("getPartner"),
];

/// A partner of the list for which something holds, other than the one that cases change, where there is another.
async fn some_partner(
    context: &mut CaseContext<'_>,
    holds: impl Fn(&Value) -> bool,
    what: &str,
) -> Result<Value, CaseOutcome> {
    let borrowed = context.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(context, PARTNERS).await?;
    let mut fitting: Vec<&Value> = partners.items.iter().filter(|item| holds(item)).collect();
    fitting.sort_by_key(|item| item["id"] == borrowed);
    let fitting = fitting.first().copied().cloned();
    fitting.ok_or_else(|| CaseOutcome::missing(what))
}

/// Reads what this id names.
async fn get(context: &mut CaseContext<'_>, id: &str) -> Result<Response, CaseOutcome> {
    let request = Request::get(format!("/api/v1/partners/{}", escaped(id)));
    context.send(request.with(&context.all()?)).await
}

async fn by_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partner = some_partner(context, |_| true, "a partner").await?;
    let id = partner["id"].as_str().unwrap_or_default();
    let response = get(context, id).await?;
    response.is(200)?.has("/data/id", id)?;
    context.snapshot(&response);
    // An escape stands for its letter, also where none was needed.
    let escaped: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let request = Request::get(format!("/api/v1/partners/{escaped}")).with(&context.all()?);
    let same = context.send(request).await?;
    same.is(200)?.has("/data/id", id)?;
    let members = response.json.as_ref().and_then(Value::as_object);
    let has_data_alone = members.is_some_and(|members| members.keys().eq(["data"]));
    response.that(
        has_data_alone,
        "A single partner does not come as { data: <partner> }.",
        "data, and nothing beside it",
        &response.shown(),
    )?;
    Ok(())
}

async fn by_external_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let has_one = |partner: &Value| {
        partner["externalId"].as_str() > Some("") && partner["externalId"] != partner["id"]
    };
    let partner = some_partner(context, has_one, "a partner with an externalId").await?;
    let text = |name: &str| partner[name].as_str().unwrap_or_default();
    let one = get(context, text("id")).await?;
    let other = get(context, text("externalId")).await?;
    // An externalId that is another's service id names that one: partners.get-service-id-first.
    if other.is_success() && other.at("/data/id") == other.at("/data/externalId") {
        return Err(CaseOutcome::missing(
            "an externalId that is no other's service id",
        ));
    }
    other.is(200)?.has("/data", one.at("/data").clone())?;
    other.has("/data/externalId", text("externalId"))?;
    context.snapshot(&one);
    context.snapshot(&other);
    Ok(())
}

async fn by_escaped(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let wants_escaping = |partner: &Value| {
        let id = partner["externalId"].as_str();
        id.is_some_and(|id| escaped(id) != id)
    };
    let what = "a partner whose externalId must be percent-encoded";
    let partner = some_partner(context, wants_escaping, what).await?;
    let external = partner["externalId"].as_str().unwrap_or_default();
    let response = get(context, external).await?;
    response
        .is(200)?
        .has("/data/id", partner["id"].clone())?
        .has("/data/externalId", external)?;
    context.snapshot(&response);
    Ok(())
}

async fn service_id_first(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partner = context.fixture(Fixture::Partner)?;
    let shadow = context.fixture(Fixture::ShadowPartner)?;
    let other = get(context, &shadow).await?;
    if !other.is_success() || other.text("/data/externalId") != partner {
        return Err(CaseOutcome::missing(
            "a shadow_partner whose externalId is the id of partner",
        ));
    }
    other.has("/data/id", shadow)?;
    let response = get(context, &partner).await?;
    response.is(200)?.has("/data/id", partner)?;
    Ok(())
}

/// Ids that a careless look-up takes for this one.
fn nearly(id: &str) -> Vec<String> {
    let all_but_last: String = {
        let mut letters = id.chars();
        letters.next_back();
        letters.collect()
    };
    let mut nearly = vec![
        "nobody-has-this-id".to_owned(),
        format!("{id}x"),
        format!("{id} "),
        format!(" {id}"),
        format!("{all_but_last}_"),
        format!("{all_but_last}%"),
        "%".to_owned(),
        format!("{id}/"),
        format!("{id};v=1"),
        format!("{id}' OR '1'='1"),
        "null".to_owned(),
        "*".to_owned(),
        "x".repeat(2_000),
        format!("0{id}"),
    ];
    if let Some((_, rest)) = id.split_once('_') {
        nearly.push(rest.to_owned());
    }
    if !all_but_last.is_empty() {
        nearly.push(all_but_last);
    }
    for other in [id.to_lowercase(), id.to_uppercase()] {
        if other != id {
            nearly.push(other);
        }
    }
    nearly
}

async fn unknown(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    let taken: Vec<&str> = partners
        .items
        .iter()
        .flat_map(|partner| [partner["id"].as_str(), partner["externalId"].as_str()])
        .flatten()
        .collect();
    // One of digits is one that a careless look-up takes for a number.
    let is_number = |id: &&&str| id.bytes().all(|byte| byte.is_ascii_digit());
    let number = taken.iter().filter(|id| !id.is_empty()).find(is_number);
    let first = taken
        .first()
        .ok_or_else(|| CaseOutcome::missing("a partner"))?;
    // And an externalId of letters is one in its own case alone.
    let externals = partners.items.iter();
    let mut externals = externals.filter_map(|partner| partner["externalId"].as_str());
    let lettered =
        externals.find(|id| id.is_ascii() && id.bytes().any(|byte| byte.is_ascii_alphabetic()));
    for id in std::iter::once(first).chain(number).chain(&lettered) {
        // The control: the id itself is found.
        get(context, id).await?.is(200)?;
        let nearly = nearly(id).into_iter();
        for nearly in nearly.filter(|nearly| !taken.contains(&&**nearly)) {
            let response = get(context, &nearly).await?;
            context.is_error(&response, 404, "NOT_FOUND")?;
        }
    }
    let companies = partners.items.iter();
    let companies = companies.filter_map(|partner| partner["externalCompanyId"].as_str());
    let company = companies
        .filter(|id| !id.is_empty())
        .find(|id| !taken.contains(id));
    if let Some(company) = company {
        let response = get(context, company).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn nul(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partner = some_partner(context, |_| true, "a partner").await?;
    let id = partner["id"].as_str().unwrap_or_default();
    get(context, id).await?.is(200)?;
    for broken in ["\0".to_owned(), format!("{id}\0"), format!("\0{id}")] {
        let response = get(context, &broken).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}
