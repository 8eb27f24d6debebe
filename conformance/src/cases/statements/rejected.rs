//! Statements that are not made: no such payout, nothing to print, nobody to bill; and in which order that is found (S1).
//!
//! It refuses a refusal whose payout does not exist: 404 would be right for another reason.

use serde_json::json;

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::money::{NOBODY, document::statement, payout},
    exchange::{Request, Response},
    target::{Fixture, Role},
};

pub(super) const CASES: &[Case] = &[
    Case::new(
        "statements.unknown-payout",
        "An id that no payout has is answered 404, also where it is an id of something else.",
        "§4.7.5",
        runs!(unknown),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "statements.no-lines",
        "A payout without lines has no statement: 422.",
        "§4.7.6",
        runs!(no_lines),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout, Fixture::PayoutWithoutLines])
    .changes(Changes::Restored),
    Case::new(
        "statements.no-billing",
        "Without complete billing information there is no statement: 422.",
        "§4.7.7",
        runs!(no_billing),
    )
    .on("generateStatement")
    .keys(&[Role::All, Role::NoBilling])
    .fixtures(&[Fixture::Payout, Fixture::PayoutNoBilling])
    .changes(Changes::Restored),
    Case::new(
        "statements.payout-before-billing",
        "Without billing information an id of nobody is answered 404.",
        "S1",
        runs!(payout_before_billing),
    )
    .on("generateStatement")
    .keys(&[Role::NoBilling])
    .fixtures(&[Fixture::PayoutNoBilling])
    .changes(Changes::Restored),
    Case::new(
        "statements.upload-before-lines",
        "An uploaded PDF is returned also where the payout has no lines.",
        "S1",
        runs!(upload_before_lines),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutUploaded]),
    Case::new(
        "statements.lines-before-billing",
        "Without lines and without billing information it is the lines that are told.",
        "S1",
        runs!(lines_before_billing),
    )
    .on("generateStatement")
    .keys(&[Role::NoBilling])
    .fixtures(&[
        Fixture::PayoutNoBilling,
        Fixture::PayoutNoBillingWithoutLines,
    ])
    .changes(Changes::Restored),
    Case::new(
        "statements.upload-before-billing",
        "An uploaded PDF is returned also where billing information is incomplete.",
        "S1",
        runs!(upload_before_billing),
    )
    .on("generateStatement")
    .keys(&[Role::NoBilling])
    .fixtures(&[Fixture::PayoutNoBilling, Fixture::PayoutNoBillingUploaded])
    .changes(Changes::Restored),
];

async fn unknown(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let known = context.given(payout(context, &id)?).await?;
    let mut others = crate::cases::nearly(&id).to_vec();
    others.extend(["/data/partner/id", "/data/batchId"].map(|id| known.text(id).to_owned()));
    let control = statement(context, &id)?;
    let response = context
        .refused(statement(context, NOBODY)?, control)
        .await?;
    context.is_error(&response, 404, "NOT_FOUND")?;
    for other in others.iter().filter(|other| **other != id) {
        let response = context.send(statement(context, other)?).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn no_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let empty = context.fixture(Fixture::PayoutWithoutLines)?;
    context.given(payout(context, &empty)?).await?;
    let lines = Request::get("/api/v1/commission-lines")
        .query("payoutId", &empty)
        .with(&context.all()?);
    let lines = context.given(lines).await?;
    if !lines.items().is_empty() {
        return Err(CaseOutcome::missing("a payout_without_lines that has none"));
    }
    let control = statement(context, &context.fixture(Fixture::Payout)?)?;
    let response = context
        .refused(statement(context, &empty)?, control)
        .await?;
    context.is_error(&response, 422, "NO_COMMISSION_LINES")
}

async fn no_billing(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutNoBilling)?;
    let key = context.key(Role::NoBilling)?;
    // It is there, and has lines: nothing but the billing information is missing.
    context.given(payout(context, &id)?.with(&key)).await?;
    let lines = Request::get("/api/v1/commission-lines")
        .query("payoutId", &id)
        .with(&key);
    if context.given(lines).await?.items().is_empty() {
        return Err(CaseOutcome::missing("a payout_no_billing with a line"));
    }
    let control = statement(context, &context.fixture(Fixture::Payout)?)?;
    let request = statement(context, &id)?.with(&key);
    let response = context.refused(request, control).await?;
    context.is_error(&response, 422, "NO_BILLING_INFO")
}

/// What the organisation without billing information is answered where it asks for the statement of this payout; of one with
/// lines it is refused for that reason, and no other.
async fn without_billing(context: &mut CaseContext<'_>, id: &str) -> Result<Response, CaseOutcome> {
    let with_lines = context.fixture(Fixture::PayoutNoBilling)?;
    let key = context.key(Role::NoBilling)?;
    let post = |id: &str| Request::post(format!("/api/v1/payouts/{id}/statement")).with(&key);
    let response = context.send(post(&with_lines)).await?;
    context.is_error(&response, 422, "NO_BILLING_INFO")?;
    context.send(post(id)).await
}

async fn payout_before_billing(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let response = without_billing(context, NOBODY).await?;
    context.is_error(&response, 404, "NOT_FOUND")
}

async fn lines_before_billing(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let empty = context.fixture(Fixture::PayoutNoBillingWithoutLines)?;
    let response = without_billing(context, &empty).await?;
    context.is_error(&response, 422, "NO_COMMISSION_LINES")
}

async fn upload_before_billing(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let uploaded = context.fixture(Fixture::PayoutNoBillingUploaded)?;
    let response = without_billing(context, &uploaded).await?;
    response.is(200)?.has("/data/isUploaded", true)?;
    context.snapshot(&response);
    Ok(())
}

async fn upload_before_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutUploaded)?;
    let lines = Request::get("/api/v1/commission-lines")
        .query("payoutId", &id)
        .with(&context.all()?);
    let lines = context.given(lines).await?;
    if lines.at("/data") != &json!([]) {
        return Err(CaseOutcome::missing("a payout_uploaded without lines"));
    }
    let response = context.send(statement(context, &id)?).await?;
    response.is(200)?.has("/data/isUploaded", true)?;
    Ok(())
}
