//! Which partner an id names (§4.2, R1, R3, R5).
//!
//! They refuse an id that is nearly one: a wildcard, another case, a blank.

use serde_json::Value;

use crate::{
    case::{Case, Scene, Stop, definition::runs},
    cases::{
        lists::walk::{PARTNERS, known},
        steady::steady,
    },
    exchange::{Answer, Call, call::escaped},
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
    scene: &mut Scene<'_>,
    holds: impl Fn(&Value) -> bool,
    what: &str,
) -> Result<Value, Stop> {
    let borrowed = scene.fixture(Fixture::Partner).unwrap_or_default();
    let partners = known(scene, PARTNERS).await?;
    let mut fitting: Vec<&Value> = partners.items.iter().filter(|item| holds(item)).collect();
    fitting.sort_by_key(|item| item["id"] == borrowed);
    let fitting = fitting.first().copied().cloned();
    fitting.ok_or_else(|| Stop::missing(what))
}

/// Reads what this id names.
async fn get(scene: &mut Scene<'_>, id: &str) -> Result<Answer, Stop> {
    let call = Call::get(format!("/api/v1/partners/{}", escaped(id)));
    scene.send(call.with(&scene.all()?)).await
}

async fn by_id(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let partner = some_partner(scene, |_| true, "a partner").await?;
    let id = partner["id"].as_str().unwrap_or_default();
    let answer = get(scene, id).await?;
    answer.is(200)?.has("/data/id", id)?;
    scene.snapshot(&answer);
    // An escape stands for its letter, also where none was needed.
    let escaped: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let call = Call::get(format!("/api/v1/partners/{escaped}")).with(&scene.all()?);
    let same = scene.send(call).await?;
    same.is(200)?.has("/data/id", id)?;
    let members = answer.json.as_ref().and_then(Value::as_object);
    let has_data_alone = members.is_some_and(|members| members.keys().eq(["data"]));
    answer.that(
        has_data_alone,
        "A single partner does not come as { data: <partner> }.",
        "data, and nothing beside it",
        &answer.shown(),
    )?;
    Ok(())
}

async fn by_external_id(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let has_one = |partner: &Value| {
        partner["externalId"].as_str() > Some("") && partner["externalId"] != partner["id"]
    };
    let partner = some_partner(scene, has_one, "a partner with an externalId").await?;
    let text = |name: &str| partner[name].as_str().unwrap_or_default();
    let one = get(scene, text("id")).await?;
    let other = get(scene, text("externalId")).await?;
    // An externalId that is another's service id names that one: partners.get-service-id-first.
    if other.is_success() && other.at("/data/id") == other.at("/data/externalId") {
        return Err(Stop::missing("an externalId that is no other's service id"));
    }
    other.is(200)?.has("/data", one.at("/data").clone())?;
    other.has("/data/externalId", text("externalId"))?;
    scene.snapshot(&one);
    scene.snapshot(&other);
    Ok(())
}

async fn by_escaped(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let wants_escaping = |partner: &Value| {
        let id = partner["externalId"].as_str();
        id.is_some_and(|id| escaped(id) != id)
    };
    let what = "a partner whose externalId must be percent-encoded";
    let partner = some_partner(scene, wants_escaping, what).await?;
    let external = partner["externalId"].as_str().unwrap_or_default();
    let answer = get(scene, external).await?;
    answer
        .is(200)?
        .has("/data/id", partner["id"].clone())?
        .has("/data/externalId", external)?;
    scene.snapshot(&answer);
    Ok(())
}

async fn service_id_first(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let partner = scene.fixture(Fixture::Partner)?;
    let shadow = scene.fixture(Fixture::ShadowPartner)?;
    let other = get(scene, &shadow).await?;
    if !other.is_success() || other.text("/data/externalId") != partner {
        return Err(Stop::missing(
            "a shadow_partner whose externalId is the id of partner",
        ));
    }
    other.has("/data/id", shadow)?;
    let answer = get(scene, &partner).await?;
    answer.is(200)?.has("/data/id", partner)?;
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

async fn unknown(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let partners = known(scene, PARTNERS).await?;
    let taken: Vec<&str> = partners
        .items
        .iter()
        .flat_map(|partner| [partner["id"].as_str(), partner["externalId"].as_str()])
        .flatten()
        .collect();
    // One of digits is one that a careless look-up takes for a number.
    let is_number = |id: &&&str| id.bytes().all(|byte| byte.is_ascii_digit());
    let number = taken.iter().filter(|id| !id.is_empty()).find(is_number);
    let first = taken.first().ok_or_else(|| Stop::missing("a partner"))?;
    // And an externalId of letters is one in its own case alone.
    let externals = partners.items.iter();
    let mut externals = externals.filter_map(|partner| partner["externalId"].as_str());
    let lettered =
        externals.find(|id| id.is_ascii() && id.bytes().any(|byte| byte.is_ascii_alphabetic()));
    for id in std::iter::once(first).chain(number).chain(&lettered) {
        // The twin: the id itself is found.
        get(scene, id).await?.is(200)?;
        let nearly = nearly(id).into_iter();
        for nearly in nearly.filter(|nearly| !taken.contains(&&**nearly)) {
            let answer = get(scene, &nearly).await?;
            scene.is_error(&answer, 404, "NOT_FOUND")?;
        }
    }
    let companies = partners.items.iter();
    let companies = companies.filter_map(|partner| partner["externalCompanyId"].as_str());
    let company = companies
        .filter(|id| !id.is_empty())
        .find(|id| !taken.contains(id));
    if let Some(company) = company {
        let answer = get(scene, company).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn nul(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let partner = some_partner(scene, |_| true, "a partner").await?;
    let id = partner["id"].as_str().unwrap_or_default();
    get(scene, id).await?.is(200)?;
    for broken in ["\0".to_owned(), format!("{id}\0"), format!("\0{id}")] {
        let answer = get(scene, &broken).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}
