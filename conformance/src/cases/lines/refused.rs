//! Detaches that are refused: lines in no payout, ids of nobody, bodies that are too large.
//!
//! It refuses to spend a line.

use serde_json::Value;

use super::{detaching, text};
use crate::{
    case::{Scene, Stop},
    cases::money::{NOBODY, walk},
    exchange::Call,
    target::Fixture,
};

/// The largest body that is not refused (R4).
const LARGEST: usize = 64 * 1_024;

/// A line that is in no payout, as the list of its status shows it, and the call that showed it.
async fn unattached(
    scene: &mut Scene<'_>,
    fixture: Fixture,
    status: &str,
) -> Result<(String, Value), Stop> {
    let id = scene.fixture(fixture)?;
    match walk::find(scene, &[("status", status)], &id).await?.0 {
        Some(line) => Ok((id, line)),
        None => Err(Stop::missing(format!(
            "the {} {id} among the first lines that are {status}",
            fixture.name()
        ))),
    }
}

async fn stays(scene: &mut Scene<'_>, fixture: Fixture, status: &str) -> Result<(), Stop> {
    let (id, before) = unattached(scene, fixture, status).await?;
    let list = Call::get("/api/v1/commission-lines?limit=1")
        .query("status", status)
        .with(&scene.all()?);
    let answer = scene.refused(detaching(scene, &id)?, list).await?;
    scene.is_error(&answer, 422, "LINE_NOT_IN_PAYOUT")?;
    is_unchanged(scene, &id, &before).await
}

/// That lists show a line as before.
async fn is_unchanged(scene: &mut Scene<'_>, id: &str, before: &Value) -> Result<(), Stop> {
    let filters = [
        ("partnerId", text(before, "partnerId")),
        ("status", text(before, "status")),
    ];
    let (after, page) = walk::find(scene, &filters, id).await?;
    page.that(
        after.as_ref() == Some(before),
        "A refused detach changed the line.",
        &before.to_string(),
        &after.map_or_else(
            || format!("no line {id} among them"),
            |line| line.to_string(),
        ),
    )?;
    Ok(())
}

pub(super) async fn pending(scene: &mut Scene<'_>) -> Result<(), Stop> {
    stays(scene, Fixture::LineUnattached, "PENDING").await
}

pub(super) async fn expected(scene: &mut Scene<'_>) -> Result<(), Stop> {
    stays(scene, Fixture::LineExpected, "EXPECTED").await
}

pub(super) async fn voided(scene: &mut Scene<'_>) -> Result<(), Stop> {
    stays(scene, Fixture::LineVoided, "VOIDED").await
}

pub(super) async fn unknown(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let line = scene.fixture(Fixture::LineUnattached)?;
    let payout = scene.fixture(Fixture::Payout)?;
    let known = scene.send(detaching(scene, &line)?).await?;
    scene.is_error(&known, 422, "LINE_NOT_IN_PAYOUT")?;
    let nearly = crate::cases::nearly(&line);
    let others = nearly.iter().map(String::as_str).chain([NOBODY, &payout]);
    for id in others.filter(|id| *id != line) {
        let answer = scene.send(detaching(scene, id)?).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

pub(super) async fn body_ignored(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let line = scene.fixture(Fixture::LineUnattached)?;
    let call = detaching(scene, &line)?;
    let bodies = [
        ("application/json", "{}".to_owned()),
        (
            "application/json",
            r#"{"payoutId":null,"unknown":1}"#.to_owned(),
        ),
        ("application/json", "{ garbage".to_owned()),
        ("application/json", String::new()),
        ("text/plain", "detach, please".to_owned()),
        ("application/x-www-form-urlencoded", "a=b".to_owned()),
        ("", "no type".to_owned()),
        ("application/json", " ".repeat(LARGEST)),
    ];
    for (media_type, body) in bodies {
        let answer = scene.send(call.clone().body(media_type, body)).await?;
        scene.is_error(&answer, 422, "LINE_NOT_IN_PAYOUT")?;
    }
    Ok(())
}

pub(super) async fn body_too_large(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let line = scene.fixture(Fixture::LineUnattached)?;
    let call = detaching(scene, &line)?;
    let fits = call.clone().body("text/plain", " ".repeat(LARGEST));
    let answer = scene.send(fits).await?;
    scene.is_error(&answer, 422, "LINE_NOT_IN_PAYOUT")?;
    let answer = scene
        .send(call.body("text/plain", " ".repeat(LARGEST + 1)))
        .await?;
    scene.is_error(&answer, 413, "PAYLOAD_TOO_LARGE")
}
