//! Statements that are not made: no such payout, nothing to print, nobody to bill; and in which order that is found (S1).
//!
//! It refuses a refusal whose payout does not exist: 404 would be right for another reason.

use serde_json::json;

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    cases::money::{NOBODY, document::statement, payout},
    exchange::{Answer, Call},
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

async fn unknown(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::Payout)?;
    let known = scene.given(payout(scene, &id)?).await?;
    let mut others = crate::cases::nearly(&id).to_vec();
    others.extend(["/data/partner/id", "/data/batchId"].map(|id| known.text(id).to_owned()));
    let twin = statement(scene, &id)?;
    let answer = scene.refused(statement(scene, NOBODY)?, twin).await?;
    scene.is_error(&answer, 404, "NOT_FOUND")?;
    for other in others.iter().filter(|other| **other != id) {
        let answer = scene.send(statement(scene, other)?).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn no_lines(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let empty = scene.fixture(Fixture::PayoutWithoutLines)?;
    scene.given(payout(scene, &empty)?).await?;
    let lines = Call::get("/api/v1/commission-lines")
        .query("payoutId", &empty)
        .with(&scene.all()?);
    let lines = scene.given(lines).await?;
    if !lines.items().is_empty() {
        return Err(Stop::missing("a payout_without_lines that has none"));
    }
    let twin = statement(scene, &scene.fixture(Fixture::Payout)?)?;
    let answer = scene.refused(statement(scene, &empty)?, twin).await?;
    scene.is_error(&answer, 422, "NO_COMMISSION_LINES")
}

async fn no_billing(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutNoBilling)?;
    let key = scene.key(Role::NoBilling)?;
    // It is there, and has lines: nothing but the billing information is missing.
    scene.given(payout(scene, &id)?.with(&key)).await?;
    let lines = Call::get("/api/v1/commission-lines")
        .query("payoutId", &id)
        .with(&key);
    if scene.given(lines).await?.items().is_empty() {
        return Err(Stop::missing("a payout_no_billing with a line"));
    }
    let twin = statement(scene, &scene.fixture(Fixture::Payout)?)?;
    let call = statement(scene, &id)?.with(&key);
    let answer = scene.refused(call, twin).await?;
    scene.is_error(&answer, 422, "NO_BILLING_INFO")
}

/// What the organisation without billing information is answered where it asks for the statement of this payout; of one with
/// lines it is refused for that reason, and no other.
async fn without_billing(scene: &mut Scene<'_>, id: &str) -> Result<Answer, Stop> {
    let with_lines = scene.fixture(Fixture::PayoutNoBilling)?;
    let key = scene.key(Role::NoBilling)?;
    let post = |id: &str| Call::post(format!("/api/v1/payouts/{id}/statement")).with(&key);
    let answer = scene.send(post(&with_lines)).await?;
    scene.is_error(&answer, 422, "NO_BILLING_INFO")?;
    scene.send(post(id)).await
}

async fn payout_before_billing(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let answer = without_billing(scene, NOBODY).await?;
    scene.is_error(&answer, 404, "NOT_FOUND")
}

async fn lines_before_billing(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let empty = scene.fixture(Fixture::PayoutNoBillingWithoutLines)?;
    let answer = without_billing(scene, &empty).await?;
    scene.is_error(&answer, 422, "NO_COMMISSION_LINES")
}

async fn upload_before_billing(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let uploaded = scene.fixture(Fixture::PayoutNoBillingUploaded)?;
    let answer = without_billing(scene, &uploaded).await?;
    answer.is(200)?.has("/data/isUploaded", true)?;
    scene.snapshot(&answer);
    Ok(())
}

async fn upload_before_lines(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutUploaded)?;
    let lines = Call::get("/api/v1/commission-lines")
        .query("payoutId", &id)
        .with(&scene.all()?);
    let lines = scene.given(lines).await?;
    if lines.at("/data") != &json!([]) {
        return Err(Stop::missing("a payout_uploaded without lines"));
    }
    let answer = scene.send(statement(scene, &id)?).await?;
    answer.is(200)?.has("/data/isUploaded", true)?;
    Ok(())
}
