//! Detaches of lines in no payout, which are rejected.

use super::{detaching, text};
use crate::cases::prelude::*;

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

/// Detaching a pending line is rejected, and the line stays unchanged.
#[case("§3.1.unattached", on = detachCommissionLine, fixtures(LineUnattached), requests = 60)]
async fn pending(context: &mut CaseContext<'_>) -> CaseResult {
    stays(context, Fixture::LineUnattached, "PENDING").await
}

/// Detaching an expected line is rejected, and the line stays unchanged.
#[case("§3.1.unattached", on = detachCommissionLine, fixtures(LineExpected), requests = 60)]
async fn expected(context: &mut CaseContext<'_>) -> CaseResult {
    stays(context, Fixture::LineExpected, "EXPECTED").await
}

/// Detaching a voided line is rejected, and the line stays unchanged.
#[case("§3.1.unattached", on = detachCommissionLine, fixtures(LineVoided), requests = 60)]
async fn voided(context: &mut CaseContext<'_>) -> CaseResult {
    stays(context, Fixture::LineVoided, "VOIDED").await
}

/// That a line in this status cannot be detached, and stays unchanged.
async fn stays(context: &mut CaseContext<'_>, fixture: Fixture, status: &str) -> CaseResult {
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
