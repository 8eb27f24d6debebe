//! Detaches of lines in no payout, which are rejected.

use super::{detaching, is_listed_as, text};
use crate::cases::prelude::*;

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

/// Requires that a line in this status cannot be detached, and stays unchanged.
async fn stays(context: &mut CaseContext<'_>, fixture: Fixture, status: &str) -> CaseResult {
    let id = context.fixture(fixture)?;
    let (before, _) = find_line(context, &[("status", status)], &id).await?;
    let missing = || CaseOutcome::missing(format!("a {} that is {status}", fixture.name()));
    let before = before.ok_or_else(missing)?;
    let list = LINES.filtered(&context.all()?, &[("limit", "1"), ("status", status)]);
    let rejected = context.rejects(detaching(context, &id)?, list, LINE_NOT_IN_PAYOUT).await?;
    if context.judges("E.details") {
        rejected.has("/error/details/status", status)?;
    }
    let filters = [("partnerId", text(&before, "partnerId")), ("status", status)];
    let what = "A rejected detach changed the line.";
    is_listed_as(context, &filters, &id, Some(&before), what).await
}
