//! What belongs to another organisation (§1, §5.3, A10): nothing of it can be read, changed, or told from what does not exist.
//! Here single resources; [`lists`] has the rest.

pub(super) mod lists;

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    case::{Case, Scene, Stop, definition::runs},
    exchange::{Answer, Call},
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

/// The answer to a foreign id, and that to an id of nobody, are alike: 404, and not a word apart.
async fn unseen(
    scene: &mut Scene<'_>,
    method: Method,
    path: fn(&str) -> String,
    foreign: &str,
    [asks, owns]: Sides,
) -> Result<(), Stop> {
    let own = scene.key(asks)?;
    let call = |id: &str| {
        let call = Call::new(method.clone(), path(id));
        if method == Method::PATCH {
            call.json(&json!({}))
        } else {
            call
        }
    };
    // Its own organisation sees it: what is refused does exist.
    let twin = match method {
        Method::POST => Call::get("/api/v1/partners?limit=1").with(&own),
        _ => call(foreign).with(&scene.key(owns)?),
    };
    let seen = scene.refused(call(foreign).with(&own), twin).await?;
    scene.is_error(&seen, 404, "NOT_FOUND")?;
    let nobody = scene.send(call(NOBODY).with(&own)).await?;
    nobody.is(404)?;
    alike(&seen, &nobody, foreign)
}

fn alike(foreign: &Answer, nobody: &Answer, id: &str) -> Result<(), Stop> {
    let body = |answer: &Answer| {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
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
    scene: &Scene<'_>,
    theirs: Fixture,
    ours: Fixture,
) -> Result<Vec<(String, Sides)>, Stop> {
    let mut sides = vec![(scene.fixture(theirs)?, THEIRS)];
    sides.extend(scene.fixture(ours).ok().map(|own| (own, OURS)));
    Ok(sides)
}

async fn unseen_from_both(
    scene: &mut Scene<'_>,
    method: Method,
    path: fn(&str) -> String,
    theirs: Fixture,
    ours: Fixture,
) -> Result<(), Stop> {
    for (foreign, sides) in both_sides(scene, theirs, ours)? {
        unseen(scene, method.clone(), path, &foreign, sides).await?;
    }
    Ok(())
}

async fn get_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let path = |id: &str| format!("/api/v1/partners/{id}");
    let (theirs, ours) = (Fixture::ForeignPartner, Fixture::Partner);
    unseen_from_both(scene, Method::GET, path, theirs, ours).await
}

/// The foreign partner, as its own organisation sees it.
async fn foreign_partner(scene: &mut Scene<'_>) -> Result<Answer, Stop> {
    let foreign = scene.fixture(Fixture::ForeignPartner)?;
    let key = scene.key(Role::OtherOrganization)?;
    scene
        .given(Call::get(format!("/api/v1/partners/{foreign}")).with(&key))
        .await
}

async fn get_partner_by_external_id(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let mut looked = 0;
    for role in OTHERS {
        let Ok(key) = scene.key(role) else {
            continue;
        };
        let partners = Call::get("/api/v1/partners?limit=100").with(&key);
        let partners = scene.given(partners).await?;
        let named = |partner: &&Value| partner["externalId"].is_string();
        // An externalId that the key's own organisation has too leads to its own partner, and proves little.
        for partner in partners.items().iter().filter(named).take(LOOKS) {
            looked += 1;
            finds_none_of(scene, partner).await?;
        }
    }
    if looked == 0 {
        return Err(Stop::missing("a foreign partner with an externalId"));
    }
    Ok(())
}

/// Neither reading nor changing by a foreign partner's externalId leads to that partner.
async fn finds_none_of(scene: &mut Scene<'_>, foreign: &Value) -> Result<(), Stop> {
    let external = foreign["externalId"].as_str().unwrap_or_default();
    let path = format!(
        "/api/v1/partners/{}",
        crate::exchange::call::escaped(external)
    );
    for call in [Call::get(path.clone()), Call::patch(path, &json!({}))] {
        let answer = scene.send(call.with(&scene.all()?)).await?;
        answer.that(
            answer.status == 404 || answer.is_success() && answer.at("/data/id") != &foreign["id"],
            "The externalId of another organisation's partner led to that partner.",
            "404, or a partner of the key's own organisation",
            &answer.shown(),
        )?;
    }
    Ok(())
}

async fn own_by_shared_external_id(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let foreign = foreign_partner(scene).await?;
    let external = foreign.text("/data/externalId").to_owned();
    let path = format!(
        "/api/v1/partners/{}",
        crate::exchange::call::escaped(&external)
    );
    let own = scene
        .send(Call::get(path.clone()).with(&scene.all()?))
        .await?;
    if external.is_empty() || own.status == 404 {
        return Err(Stop::missing(
            "two organisations whose partners share an externalId",
        ));
    }
    own.is(200)?;
    let other = scene.key(Role::OtherOrganization)?;
    let theirs = scene.send(Call::get(path).with(&other)).await?;
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

async fn update_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // Its own name: whoever passes changes nothing of it.
    let name = foreign_partner(scene).await?.text("/data/name").to_owned();
    for (foreign, sides) in both_sides(scene, Fixture::ForeignPartner, Fixture::Partner)? {
        let body = match sides {
            THEIRS => json!({ "name": name }),
            // Other cases change ours, and whoever passes must not disturb them.
            _ => json!({}),
        };
        not_updated(scene, &foreign, &body, sides).await?;
    }
    Ok(())
}

async fn not_updated(
    scene: &mut Scene<'_>,
    foreign: &str,
    body: &Value,
    [asks, owns]: Sides,
) -> Result<(), Stop> {
    let (own, theirs) = (scene.key(asks)?, scene.key(owns)?);
    let patch = |id: &str| Call::patch(format!("/api/v1/partners/{id}"), body);
    let answer = scene
        .refused(patch(foreign).with(&own), patch(foreign).with(&theirs))
        .await?;
    scene.is_error(&answer, 404, "NOT_FOUND")?;
    let nobody = scene.send(patch(NOBODY).with(&own)).await?;
    alike(&answer, &nobody, foreign)
}

async fn get_payout(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let path = |id: &str| format!("/api/v1/payouts/{id}");
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    unseen_from_both(scene, Method::GET, path, theirs, ours).await
}

async fn generate_statement(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let foreign = scene.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/payouts/{id}/statement");
    let other = scene.key(Role::OtherOrganization)?;
    scene
        .given(Call::get(format!("/api/v1/payouts/{foreign}")).with(&other))
        .await?;
    let (theirs, ours) = (Fixture::ForeignPayout, Fixture::Payout);
    unseen_from_both(scene, Method::POST, path, theirs, ours).await
}

async fn detach_line(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let line = scene.fixture(Fixture::ForeignLine)?;
    let other = scene.key(Role::OtherOrganization)?;
    let payout = scene.fixture(Fixture::ForeignPayout)?;
    let path = |id: &str| format!("/api/v1/commission-lines/{id}/detach");
    let (theirs, ours) = (Fixture::ForeignLine, Fixture::LineUnattached);
    unseen_from_both(scene, Method::POST, path, theirs, ours).await?;
    // And it is where it was.
    let mut target = Call::get("/api/v1/commission-lines?limit=100").query("payoutId", &payout);
    loop {
        let page = scene.send(target.with(&other)).await?;
        page.is(200)?;
        if page.items().iter().any(|item| item["id"] == line.as_str()) {
            return Ok(());
        }
        let Some(cursor) = page.at("/pagination/nextCursor").as_str() else {
            return Err(Stop::failed(
                "A line of another organisation was answered 404, and was detached all the same.",
                format!("{line} among the lines of {payout}"),
                "it is not there any more",
                Some(page.exchange),
            ));
        };
        target = Call::get("/api/v1/commission-lines?limit=100")
            .query("payoutId", &payout)
            .query("cursor", cursor);
    }
}
