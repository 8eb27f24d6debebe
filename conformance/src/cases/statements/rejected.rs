//! Statements that are not made: no lines, no billing information; and the order of these checks
//! (S1).

use super::has_lines;
use crate::cases::prelude::*;

/// A statement of a payout without lines is 422.
#[case("§4.7.6", on = generateStatement, fixtures(Payout, PayoutWithoutLines), changes = Restored)]
async fn no_lines(context: &mut CaseContext<'_>) -> CaseResult {
    let empty = context.fixture(Fixture::PayoutWithoutLines)?;
    context.given(payout(context, &empty)?).await?;
    let is_full = has_lines(context, &context.all()?, &empty).await?;
    CaseOutcome::missing_if(is_full, "a payout_without_lines that has none")?;
    let control = statement(context, &context.fixture(Fixture::Payout)?)?;
    context.rejects(statement(context, &empty)?, control, NO_COMMISSION_LINES).await.map(drop)
}

/// A statement without complete billing information is 422.
#[case("§4.7.7", on = generateStatement, keys(All, NoBilling), fixtures(Payout, PayoutNoBilling),
       changes = Restored)]
async fn no_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoBilling)?;
    let key = context.key(Role::NoBilling)?;
    // It exists and has lines: only the billing information is missing.
    context.given(payout(context, &id)?.with(&key)).await?;
    let is_full = has_lines(context, &key, &id).await?;
    CaseOutcome::missing_if(!is_full, "a payout_no_billing with a line")?;
    let control = statement(context, &context.fixture(Fixture::Payout)?)?;
    let request = statement(context, &id)?.with(&key);
    context.rejects(request, control, NO_BILLING_INFO).await.map(drop)
}

/// The response to a statement of this payout for the organisation without billing information,
/// after one with lines was rejected for that reason.
async fn without_billing(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Response> {
    let with_lines = context.fixture(Fixture::PayoutNoBilling)?;
    let key = context.key(Role::NoBilling)?;
    let post = |id: &str| Request::post(format!("/api/v1/payouts/{id}/statement")).with(&key);
    context.expect(post(&with_lines), NO_BILLING_INFO).await?;
    context.send(post(id)).await
}

/// Without billing information an unknown id is 404.
#[case("S1", on = generateStatement, keys(NoBilling), fixtures(PayoutNoBilling),
       changes = Restored)]
async fn payout_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let response = without_billing(context, UNKNOWN_ID).await?;
    context.is_error(&response, NOT_FOUND)
}

/// Without lines and billing information the missing lines are reported.
#[case("S1", on = generateStatement, keys(NoBilling),
       fixtures(PayoutNoBilling, PayoutNoBillingWithoutLines), changes = Restored)]
async fn lines_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let empty = context.fixture(Fixture::PayoutNoBillingWithoutLines)?;
    let response = without_billing(context, &empty).await?;
    context.is_error(&response, NO_COMMISSION_LINES)
}

/// An uploaded PDF is returned also where billing information is incomplete.
#[case("S1", on = generateStatement, keys(NoBilling),
       fixtures(PayoutNoBilling, PayoutNoBillingUploaded), changes = Restored)]
async fn upload_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let uploaded = context.fixture(Fixture::PayoutNoBillingUploaded)?;
    let response = without_billing(context, &uploaded).await?;
    response.is(200)?.has("/data/isUploaded", true)?;
    context.snapshot(&response);
    Ok(())
}

/// An uploaded PDF is returned also where the payout has no lines.
#[case("S1", on = generateStatement, fixtures(PayoutUploaded))]
async fn upload_before_lines(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let is_full = has_lines(context, &context.all()?, &id).await?;
    CaseOutcome::missing_if(is_full, "a payout_uploaded without lines")?;
    let response = context.ok(statement(context, &id)?).await?;
    response.has("/data/isUploaded", true).map(drop)
}
