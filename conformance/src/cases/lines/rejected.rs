//! Detaches that are rejected: lines in no payout, unknown ids, bodies that are too large.

use super::{detaching, text};
use crate::cases::prelude::*;
use crate::cases::walk::{LINES, find_line};

/// The largest body that is accepted (R4).
const LARGEST: usize = 64 * 1_024;

/// A line in no payout, as the list of its status shows it.
async fn unattached(
    context: &mut CaseContext<'_>,
    fixture: Fixture,
    status: &str,
) -> CaseResult<(String, Value)> {
    let id = context.fixture(fixture)?;
    let (line, _) = find_line(context, &[("status", status)], &id).await?;
    let missing = || CaseOutcome::missing(format!("a {} that is {status}", fixture.name()));
    Ok((id, line.ok_or_else(missing)?))
}

/// That a line in this status cannot be detached, and stays unchanged.
pub(super) async fn stays(
    context: &mut CaseContext<'_>,
    fixture: Fixture,
    status: &str,
) -> CaseResult {
    let (id, before) = unattached(context, fixture, status).await?;
    let list = LINES.filtered(&context.all()?, &[("limit", "1"), ("status", status)]);
    context.rejects(detaching(context, &id)?, list, LINE_NOT_IN_PAYOUT).await?;
    is_unchanged(context, &id, &before).await
}

/// That lists show the line as before.
async fn is_unchanged(context: &mut CaseContext<'_>, id: &str, before: &Value) -> CaseResult {
    let filters = [("partnerId", text(before, "partnerId")), ("status", text(before, "status"))];
    let (after, lines) = find_line(context, &filters, id).await?;
    lines.that(
        after.as_ref() == Some(before),
        "A rejected detach changed the line.",
        &before.to_string(),
        &after.map_or_else(|| format!("no line {id} among them"), |line| line.to_string()),
    )
}

pub(super) async fn unknown(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::LineUnattached)?;
    let payout = context.fixture(Fixture::Payout)?;
    context.expect(detaching(context, &line)?, LINE_NOT_IN_PAYOUT).await?;
    let others = nearly(&line);
    let others = others.iter().map(String::as_str).chain([UNKNOWN_ID, &payout]);
    for id in others.filter(|id| *id != line) {
        context.expect(detaching(context, id)?, NOT_FOUND).await?;
    }
    Ok(())
}

pub(super) async fn body_ignored(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::LineUnattached)?;
    let request = detaching(context, &line)?;
    let bodies = [
        ("application/json", "{}".to_owned()),
        ("application/json", r#"{"payoutId":null,"unknown":1}"#.to_owned()),
        ("application/json", "{ garbage".to_owned()),
        ("application/json", String::new()),
        ("text/plain", "detach, please".to_owned()),
        ("application/x-www-form-urlencoded", "a=b".to_owned()),
        ("", "no type".to_owned()),
        ("application/json", " ".repeat(LARGEST)),
    ];
    for (media_type, body) in bodies {
        context.expect(request.clone().body(media_type, body), LINE_NOT_IN_PAYOUT).await?;
    }
    Ok(())
}

pub(super) async fn body_too_large(context: &mut CaseContext<'_>) -> CaseResult {
    let line = context.fixture(Fixture::LineUnattached)?;
    let request = detaching(context, &line)?;
    let fits = request.clone().body("text/plain", " ".repeat(LARGEST));
    context.expect(fits, LINE_NOT_IN_PAYOUT).await?;
    context
        .expect(request.body("text/plain", " ".repeat(LARGEST + 1)), PAYLOAD_TOO_LARGE)
        .await
        .map(drop)
}
