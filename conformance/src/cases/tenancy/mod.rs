//! Isolation of organisations (§1, §5.3, A10): nothing of another organisation can be read,
//! changed, or distinguished from what does not exist. Single resources here, lists in [`lists`].

pub(super) mod lists;

use super::walk::{LINES, find};
use crate::cases::prelude::*;

const KEYS: &[Role] = &[Role::All, Role::OtherOrganization];
const OTHERS: [Role; 2] = [Role::OtherOrganization, Role::NoBilling];
/// Whose key the request has, and whose the resource is.
type Sides = [Role; 2];
const THEIRS: Sides = [Role::All, Role::OtherOrganization];
const OURS: Sides = [Role::OtherOrganization, Role::All];
/// Partners of each that are tried.
const TRIED: usize = 5;

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("getPartner").keys(KEYS);
    { "tenancy.get-partner" "§4.2.organisation"
      run(unseen_from_both, Method::GET, partner_path, Fixture::ForeignPartner, Fixture::Partner)
      "A partner of another organisation cannot be read." .fixtures(&[Fixture::ForeignPartner]) }
    { "tenancy.get-partner-by-external-id" "§4.2.organisation" run(get_partner_by_external_id)
      "The externalId of another organisation's partner never leads to that partner."
      .requests(32) }
    { "tenancy.own-partner-by-shared-external-id" "§1.1" run(own_by_shared_external_id)
      "Where partners of two organisations share an externalId, each organisation gets its own \
       partner."
      .fixtures(&[Fixture::ForeignPartner]) }
    { "tenancy.update-partner" "§5.3" run(update_partner)
      "A partner of another organisation cannot be changed."
      .on("updatePartner").fixtures(&[Fixture::ForeignPartner]) }
    { "tenancy.get-payout" "§5.3"
      run(unseen_from_both, Method::GET, payout_path, Fixture::ForeignPayout, Fixture::Payout)
      "A payout of another organisation cannot be read."
      .on("getPayout").fixtures(&[Fixture::ForeignPayout]) }
    { "tenancy.generate-statement" "§4.7.5" run(generate_statement)
      "A statement of another organisation's payout gets 404."
      .on("generateStatement").fixtures(&[Fixture::ForeignPayout]) }
    { "tenancy.detach-line" "§5.3" run(detach_line)
      "A line of another organisation cannot be detached."
      .on("detachCommissionLine").fixtures(&[Fixture::ForeignLine, Fixture::ForeignPayout])
      .requests(12) }
};

/// That a foreign id and an unknown one get the same response: 404, with the same words.
async fn unseen(
    context: &mut CaseContext<'_>,
    method: Method,
    path: fn(&str) -> String,
    foreign: &str,
    [asks, owns]: Sides,
) -> CaseResult {
    let own = context.key(asks)?;
    let request = |id: &str| {
        let request = Request::new(method.clone(), path(id));
        if method == Method::PATCH { request.json(&json!({})) } else { request }
    };
    // Its own organisation sees it, so it does exist.
    let control = match method {
        Method::POST => Request::get(LIST).with(&own),
        _ => request(foreign).with(&context.key(owns)?),
    };
    let seen = context.rejects(request(foreign).with(&own), control, NOT_FOUND).await?;
    if !context.judges("A10") {
        return Ok(());
    }
    let unknown = context.send(request(UNKNOWN_ID).with(&own)).await?;
    unknown.is(404)?;
    alike(&seen, &unknown, foreign)
}

fn alike(foreign: &Response, unknown: &Response, id: &str) -> CaseResult {
    let body = |response: &Response| {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        text.replace(id, "{id}").replace(UNKNOWN_ID, "{id}")
    };
    foreign.that(
        body(foreign) == body(unknown),
        "The responses to a foreign id and to an unknown one differ, so that existence shows.",
        &body(unknown),
        &body(foreign),
    )
}

/// What is foreign to one side and, where there is a fixture, to the other: a leak may be one-way.
fn both_sides(
    context: &CaseContext<'_>,
    theirs: Fixture,
    ours: Fixture,
) -> CaseResult<Vec<(String, Sides)>> {
    let mut sides = vec![(context.fixture(theirs)?, THEIRS)];
    sides.extend(context.fixture(ours).ok().map(|own| (own, OURS)));
    Ok(sides)
}

async fn unseen_from_both(
    context: &mut CaseContext<'_>,
    method: Method,
    path: fn(&str) -> String,
    theirs: Fixture,
    ours: Fixture,
) -> CaseResult {
    for (foreign, sides) in both_sides(context, theirs, ours)? {
        unseen(context, method.clone(), path, &foreign, sides).await?;
    }
    Ok(())
}

/// The foreign partner, as its own organisation sees it.
async fn foreign_partner(context: &mut CaseContext<'_>) -> CaseResult<Response> {
    let foreign = context.fixture(Fixture::ForeignPartner)?;
    let key = context.key(Role::OtherOrganization)?;
    context.given(Request::get(partner_path(&foreign)).with(&key)).await
}

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

async fn own_by_shared_external_id(context: &mut CaseContext<'_>) -> CaseResult {
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

async fn update_partner(context: &mut CaseContext<'_>) -> CaseResult {
    // Its own name, so that an accepted PATCH changes nothing.
    let name = foreign_partner(context).await?.text("/data/name").to_owned();
    for (foreign, sides) in both_sides(context, Fixture::ForeignPartner, Fixture::Partner)? {
        let body = match sides {
            THEIRS => json!({ "name": name }),
            // Other cases change ours, and an accepted PATCH must not disturb them.
            _ => json!({}),
        };
        not_updated(context, &foreign, &body, sides).await?;
    }
    Ok(())
}

async fn not_updated(
    context: &mut CaseContext<'_>,
    foreign: &str,
    body: &Value,
    [asks, owns]: Sides,
) -> CaseResult {
    let (own, theirs) = (context.key(asks)?, context.key(owns)?);
    let patch = |id: &str| Request::patch(format!("/api/v1/partners/{id}"), body);
    let response =
        context.rejects(patch(foreign).with(&own), patch(foreign).with(&theirs), NOT_FOUND).await?;
    if !context.judges("A10") {
        return Ok(());
    }
    let unknown = context.send(patch(UNKNOWN_ID).with(&own)).await?;
    alike(&response, &unknown, foreign)
}

fn payout_path(id: &str) -> String {
    format!("/api/v1/payouts/{id}")
}

async fn generate_statement(context: &mut CaseContext<'_>) -> CaseResult {
    let foreign = context.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/payouts/{id}/statement");
    let other = context.key(Role::OtherOrganization)?;
    context.given(Request::get(format!("/api/v1/payouts/{foreign}")).with(&other)).await?;
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    unseen_from_both(context, Method::POST, path, theirs, ours).await?;
    // §4.7.5 says the status of this endpoint.
    let request = Request::post(path(&foreign)).with(&context.all()?);
    context.send(request).await?.is(404).map(drop)
}

async fn detach_line(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::ForeignLine)?;
    let other = context.key(Role::OtherOrganization)?;
    let payout = context.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/commission-lines/{id}/detach");
    let (theirs, ours) = (Fixture::ForeignLine, Fixture::LineUnattached);
    unseen_from_both(context, Method::POST, path, theirs, ours).await?;
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
