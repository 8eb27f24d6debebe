//! Pending lines that are attached to an existing payout (X23).

use super::{
    OPEN, Owner, PAYOUTS, ROUTE, attaching, declining, is_in, is_worth, line, made, move_along,
};
use crate::cases::prelude::*;

/// An attached line is in its payout, whose amount gains it; attached again, nothing changes.
#[case("X23", on = attachCommissionLine, requests = 20)]
async fn pending(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, _) = owner.payout_of(context, &["10.10"]).await?;
    let pending = owner.line(context, "-0.35", json!({})).await?;
    let id = pending.text("/data/id");
    let attached = context.ok(attaching(context, id, &payout)?).await?;
    attached.has("/data/status", "IN_PAYOUT")?.has("/data/payoutId", payout.as_str())?;
    attached.has("/data/amount", "-0.35")?;
    line(context, id).await?.has("/data", attached.at("/data").clone())?;
    let worth = is_worth(context, &payout, "9.75", 2).await?;
    let again = context.ok(attaching(context, id, &payout)?).await?;
    again.has("/data", attached.at("/data").clone())?;
    let after = is_worth(context, &payout, "9.75", 2).await?;
    after.has("/data/updatedAt", worth.at("/data/updatedAt").clone())?;
    context.snapshot_of_random(&attached, &["/data/createdAt"]);
    Ok(())
}

/// A line in another payout, and a voided one, is not attached.
#[case("X23.line", on = attachCommissionLine, requests = 20)]
async fn not_pending(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (first, lines) = owner.payout_of(context, &["10.10"]).await?;
    let (second, _) = owner.payout_of(context, &[]).await?;
    let rejected = context.expect(attaching(context, &lines[0], &second)?, LINE_IN_PAYOUT).await?;
    rejected.has("/error/details/payoutId", first.as_str())?;
    is_in(context, &lines[0], Some(&first)).await?;
    is_worth(context, &second, "0.00", 0).await?;
    context.ok(declining(context, &lines[0])?).await?;
    let rejected = context.expect(attaching(context, &lines[0], &second)?, LINE_NOT_PENDING);
    rejected.await?.has("/error/details/status", "VOIDED")?;
    is_worth(context, &second, "0.00", 0).await.map(drop)
}

/// A line is rejected by the payout of another partner or currency.
#[case("X23.payout", on = attachCommissionLine, requests = 16)]
async fn to_another_payout(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let pending = owner.line(context, "1.00", json!({})).await?;
    let id = pending.text("/data/id");
    let (theirs, _) = Owner::new(context).await?.payout_of(context, &[]).await?;
    let dollars = made(context, PAYOUTS, &owner.payout_body(json!({ "currency": "USD" }))).await?;
    let dollars = dollars.text("/data/id").to_owned();
    for (payout, error) in [(theirs, PARTNER_MISMATCH), (dollars, CURRENCY_MISMATCH)] {
        context.expect(attaching(context, id, &payout)?, error).await?;
        is_in(context, id, None).await?;
        is_worth(context, &payout, "0.00", 0).await?;
    }
    Ok(())
}

/// A payout takes a pending line in four stages, and rejects it in each other one.
#[case("X23.payout", on = attachCommissionLine, requests = 48)]
async fn by_stage(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, _) = owner.payout_of(context, &[]).await?;
    for stage in ROUTE.split(' ') {
        let pending = owner.line(context, "0.01", json!({})).await?;
        move_along(context, &payout, &[stage]).await?;
        let attach = attaching(context, pending.text("/data/id"), &payout)?;
        let response = context.send(attach).await?;
        if OPEN.contains(&stage) {
            response.is(200)?;
        } else {
            response.is(422)?.has("/error/code", PAYOUT_LOCKED.1)?;
            response.has("/error/details/stage", stage)?;
        }
    }
    is_worth(context, &payout, "0.04", OPEN.len()).await.map(drop)
}
