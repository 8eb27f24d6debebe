//! Statements that are not made: unknown payout, no lines, no billing information; and the order of
//! these checks (S1).

use crate::cases::prelude::*;
use crate::cases::{
    money::{document::statement, payout},
    walk::LINES,
};

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("generateStatement").fixtures(&[Fixture::Payout]);
    { "statements.no-lines" "§4.7.6" run(no_lines)
      "A statement of a payout without lines is 422."
      .fixtures(&[Fixture::Payout, Fixture::PayoutWithoutLines]).changes(Changes::Restored) }
    { "statements.no-billing" "§4.7.7" run(no_billing)
      "A statement without complete billing information is 422."
      .keys(&[Role::All, Role::NoBilling]).fixtures(&[Fixture::Payout, Fixture::PayoutNoBilling])
      .changes(Changes::Restored) }
    { "statements.payout-before-billing" "S1" run(payout_before_billing)
      "Without billing information an unknown id is 404."
      .keys(&[Role::NoBilling]).fixtures(&[Fixture::PayoutNoBilling]).changes(Changes::Restored) }
    { "statements.upload-before-lines" "S1" run(upload_before_lines)
      "An uploaded PDF is returned also where the payout has no lines."
      .fixtures(&[Fixture::PayoutUploaded]) }
    { "statements.lines-before-billing" "S1" run(lines_before_billing)
      "Without lines and billing information the missing lines are reported."
      .keys(&[Role::NoBilling])
      .fixtures(&[Fixture::PayoutNoBilling, Fixture::PayoutNoBillingWithoutLines])
      .changes(Changes::Restored) }
    { "statements.upload-before-billing" "S1" run(upload_before_billing)
      "An uploaded PDF is returned also where billing information is incomplete."
      .keys(&[Role::NoBilling])
      .fixtures(&[Fixture::PayoutNoBilling, Fixture::PayoutNoBillingUploaded])
      .changes(Changes::Restored) }
};

async fn no_lines(context: &mut CaseContext<'_>) -> CaseResult {
    let empty = context.fixture(Fixture::PayoutWithoutLines)?;
    context.given(payout(context, &empty)?).await?;
    let lines = LINES.filtered(&context.all()?, &[("payoutId", &empty)]);
    let lines = context.given(lines).await?;
    CaseOutcome::missing_if(!lines.items().is_empty(), "a payout_without_lines that has none")?;
    let control = statement(context, &context.fixture(Fixture::Payout)?)?;
    context.rejects(statement(context, &empty)?, control, NO_COMMISSION_LINES).await.map(drop)
}

async fn no_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoBilling)?;
    let key = context.key(Role::NoBilling)?;
    // It exists and has lines: only the billing information is missing.
    context.given(payout(context, &id)?.with(&key)).await?;
    let lines = LINES.filtered(&key, &[("payoutId", &id)]);
    CaseOutcome::missing_if(
        context.given(lines).await?.items().is_empty(),
        "a payout_no_billing with a line",
    )?;
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

async fn payout_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let response = without_billing(context, UNKNOWN_ID).await?;
    context.is_error(&response, NOT_FOUND)
}

async fn lines_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let empty = context.fixture(Fixture::PayoutNoBillingWithoutLines)?;
    let response = without_billing(context, &empty).await?;
    context.is_error(&response, NO_COMMISSION_LINES)
}

async fn upload_before_billing(context: &mut CaseContext<'_>) -> CaseResult {
    let uploaded = context.fixture(Fixture::PayoutNoBillingUploaded)?;
    let response = without_billing(context, &uploaded).await?;
    response.is(200)?.has("/data/isUploaded", true)?;
    context.snapshot(&response);
    Ok(())
}

async fn upload_before_lines(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let lines = LINES.filtered(&context.all()?, &[("payoutId", &id)]);
    let lines = context.given(lines).await?;
    CaseOutcome::missing_if(lines.at("/data") != &json!([]), "a payout_uploaded without lines")?;
    let response = context.ok(statement(context, &id)?).await?;
    response.has("/data/isUploaded", true).map(drop)
}
