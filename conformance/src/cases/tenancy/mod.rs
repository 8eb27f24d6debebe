//! What belongs to another organisation (§1, §5.3, A10): nothing of it can be read, changed, or told from what does not exist.
//! Here single resources; [`lists`] has the rest.

pub(super) mod lists;

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    exchange::{Request, Response},
    target::{Fixture, Role},
};

const KEYS: &[Role] = &[Role::All, Role::OtherOrganization];
/// Roles whose keys are another organisation's.
const OTHERS: [Role; 2] = [Role::OtherOrganization, Role::NoBilling];
/// Whose key asks, and whose the resource is.
type Sides = [Role; 2];
const THEIRS: Sides = [Role::All, Role::OtherOrganization];
const OURS: Sides = [Role::OtherOrganization, Role::All];
/// Partners of each that are asked for.
const LOOKS: usize = 5;
/// An id of nobody.
const NOBODY: &str = "nobody-has-this-id";

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "tenancy.get-partner",
        "A partner of another organisation cannot be read.",
        "§4.2.organisation",
        runs!(get_partner),
    )
    .on("getPartner")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPartner]),
    Case::new(
        "tenancy.get-partner-by-external-id",
        "An externalId of another organisation's partner finds nothing of that organisation.",
        "§4.2.organisation",
        runs!(get_partner_by_external_id),
    )
    .on("getPartner")
    .keys(KEYS)
    .requests(32),
    Case::new(
        "tenancy.own-partner-by-shared-external-id",
        "Where two organisations have a partner with one externalId, each finds its own.",
        "§1.1",
        runs!(own_by_shared_external_id),
    )
    .on("getPartner")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPartner]),
    Case::new(
        "tenancy.update-partner",
        "A partner of another organisation cannot be changed.",
        "§5.3",
        runs!(update_partner),
    )
    .on("updatePartner")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPartner]),
    Case::new(
        "tenancy.get-payout",
        "A payout of another organisation cannot be read.",
        "§5.3",
        runs!(get_payout),
    )
    .on("getPayout")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPayout]),
    Case::new(
        "tenancy.generate-statement",
        "A statement of another organisation's payout is answered 404.",
        "§4.7.5",
        runs!(generate_statement),
    )
    .on("generateStatement")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignPayout]),
    Case::new(
        "tenancy.detach-line",
        "A line of another organisation cannot be detached.",
        "§5.3",
        runs!(detach_line),
    )
    .on("detachCommissionLine")
    .keys(KEYS)
    .fixtures(&[Fixture::ForeignLine, Fixture::ForeignPayout]),
];

/// The response to a foreign id, and that to an id of nobody, are alike: 404, and not a word apart.
async fn unseen(
    context: &mut CaseContext<'_>,
    method: Method,
    path: fn(&str) -> String,
    foreign: &str,
    [asks, owns]: Sides,
) -> Result<(), CaseOutcome> {
    let own = context.key(asks)?;
    let request = |id: &str| {
        let request = Request::new(method.clone(), path(id));
        if method == Method::PATCH {
            request.json(&json!({}))
        } else {
            request
        }
    };
    // Its own organisation sees it: what is refused does exist.
    let control = match method {
        Method::POST => Request::get("/api/v1/partners?limit=1").with(&own),
        _ => request(foreign).with(&context.key(owns)?),
    };
    let seen = context
        .refused(request(foreign).with(&own), control)
        .await?;
    context.is_error(&seen, 404, "NOT_FOUND")?;
    let nobody = context.send(request(NOBODY).with(&own)).await?;
    nobody.is(404)?;
    alike(&seen, &nobody, foreign)
}

fn alike(foreign: &Response, nobody: &Response, id: &str) -> Result<(), CaseOutcome> {
    let body = |response: &Response| {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        text.replace(id, "{id}").replace(NOBODY, "{id}")
    };
    foreign.that(
        body(foreign) == body(nobody),
        "A foreign id is answered otherwise than an id of nobody, so that one can be told from the other.",
        &body(nobody),
        &body(foreign),
    )?;
    Ok(())
}

/// What is foreign to one side and, where there is a fixture, to the other: a leak may have a direction.
fn both_sides(
    context: &CaseContext<'_>,
    theirs: Fixture,
    ours: Fixture,
) -> Result<Vec<(String, Sides)>, CaseOutcome> {
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
) -> Result<(), CaseOutcome> {
    for (foreign, sides) in both_sides(context, theirs, ours)? {
        unseen(context, method.clone(), path, &foreign, sides).await?;
    }
    Ok(())
}

async fn get_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let path = |id: &str| format!("/api/v1/partners/{id}");
    let (theirs, ours) = (Fixture::ForeignPartner, Fixture::Partner);
    unseen_from_both(context, Method::GET, path, theirs, ours).await
}

/// The foreign partner, as its own organisation sees it.
async fn foreign_partner(context: &mut CaseContext<'_>) -> Result<Response, CaseOutcome> {
    let foreign = context.fixture(Fixture::ForeignPartner)?;
    let key = context.key(Role::OtherOrganization)?;
    context
        .given(Request::get(format!("/api/v1/partners/{foreign}")).with(&key))
        .await
}

async fn get_partner_by_external_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let mut looked = 0;
    for role in OTHERS {
        let Ok(key) = context.key(role) else {
            continue;
        };
        let partners = Request::get("/api/v1/partners?limit=100").with(&key);
        let partners = context.given(partners).await?;
        let named = |partner: &&Value| partner["externalId"].is_string();
        // An externalId that the key's own organisation has too leads to its own partner, and proves little.
        for partner in partners.items().iter().filter(named).take(LOOKS) {
            looked += 1;
            finds_none_of(context, partner).await?;
        }
    }
    if looked == 0 {
        return Err(CaseOutcome::missing("a foreign partner with an externalId"));
    }
    Ok(())
}

/// Neither reading nor changing by a foreign partner's externalId leads to that partner.
async fn finds_none_of(context: &mut CaseContext<'_>, foreign: &Value) -> Result<(), CaseOutcome> {
    let external = foreign["externalId"].as_str().unwrap_or_default();
    let path = format!(
        "/api/v1/partners/{}",
        crate::exchange::request::escaped(external)
    );
    for request in [Request::get(path.clone()), Request::patch(path, &json!({}))] {
        let response = context.send(request.with(&context.all()?)).await?;
        response.that(
            response.status == 404
                || response.is_success() && response.at("/data/id") != &foreign["id"],
            "The externalId of another organisation's partner led to that partner.",
            "404, or a partner of the key's own organisation",
            &response.shown(),
        )?;
    }
    Ok(())
}

async fn own_by_shared_external_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let foreign = foreign_partner(context).await?;
    let external = foreign.text("/data/externalId").to_owned();
    let path = format!(
        "/api/v1/partners/{}",
        crate::exchange::request::escaped(&external)
    );
    let own = context
        .send(Request::get(path.clone()).with(&context.all()?))
        .await?;
    if external.is_empty() || own.status == 404 {
        return Err(CaseOutcome::missing(
            "two organisations whose partners share an externalId",
        ));
    }
    own.is(200)?;
    let other = context.key(Role::OtherOrganization)?;
    let theirs = context.send(Request::get(path).with(&other)).await?;
    theirs.is(200)?;
    theirs.has("/data/id", foreign.text("/data/id"))?;
    own.that(
        own.text("/data/id") != theirs.text("/data/id"),
        "One externalId led two organisations to the same partner.",
        "a partner of each organisation's own",
        own.text("/data/id"),
    )?;
    Ok(())
}

async fn update_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // Its own name: whoever passes changes nothing of it.
    let name = foreign_partner(context)
        .await?
        .text("/data/name")
        .to_owned();
    for (foreign, sides) in both_sides(context, Fixture::ForeignPartner, Fixture::Partner)? {
        let body = match sides {
            THEIRS => json!({ "name": name }),
            // Other cases change ours, and whoever passes must not disturb them.
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
) -> Result<(), CaseOutcome> {
    let (own, theirs) = (context.key(asks)?, context.key(owns)?);
    let patch = |id: &str| Request::patch(format!("/api/v1/partners/{id}"), body);
    let response = context
        .refused(patch(foreign).with(&own), patch(foreign).with(&theirs))
        .await?;
    context.is_error(&response, 404, "NOT_FOUND")?;
    let nobody = context.send(patch(NOBODY).with(&own)).await?;
    alike(&response, &nobody, foreign)
}

async fn get_payout(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let path = |id: &str| format!("/api/v1/payouts/{id}");
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    unseen_from_both(context, Method::GET, path, theirs, ours).await
}

async fn generate_statement(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let foreign = context.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/payouts/{id}/statement");
    let other = context.key(Role::OtherOrganization)?;
    context
        .given(Request::get(format!("/api/v1/payouts/{foreign}")).with(&other))
        .await?;
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    unseen_from_both(context, Method::POST, path, theirs, ours).await
}

async fn detach_line(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let line = context.fixture(Fixture::ForeignLine)?;
    let other = context.key(Role::OtherOrganization)?;
    let payout = context.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/commission-lines/{id}/detach");
    let (theirs, ours) = (Fixture::ForeignLine, Fixture::LineUnattached);
    unseen_from_both(context, Method::POST, path, theirs, ours).await?;
    // And it is where it was.
    let mut target = Request::get("/api/v1/commission-lines?limit=100").query("payoutId", &payout);
    loop {
        let page = context.send(target.with(&other)).await?;
        page.is(200)?;
        if page.items().iter().any(|item| item["id"] == line.as_str()) {
            return Ok(());
        }
        let Some(cursor) = page.at("/pagination/nextCursor").as_str() else {
            return Err(CaseOutcome::failed(
                "A line of another organisation was answered 404, and was detached all the same.",
                format!("{line} among the lines of {payout}"),
                "it is not there any more",
                Some(page.exchange),
            ));
        };
        target = Request::get("/api/v1/commission-lines?limit=100")
            .query("payoutId", &payout)
            .query("cursor", cursor);
    }
}
