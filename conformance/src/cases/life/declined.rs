//! Declined lines (X8), and what their payouts lose.

use super::{
    LOCKED, Owner, declining, is_worth, line, line_path, move_along, posting,
    stages::{route, table},
};
use crate::cases::prelude::*;

/// A declined line stays voided, and its payout loses exactly its amount.
#[case("X8", on = declineCommissionLine, requests = 20)]
async fn one_of_several(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["10.10", "-0.35"]).await?;
    let declined = context.ok(declining(context, &lines[1])?).await?;
    declined.has("/data/status", "VOIDED")?.has("/data/payoutId", Value::Null)?;
    declined.has("/data/amount", "-0.35")?;
    line(context, &lines[1]).await?.has("/data", declined.at("/data").clone())?;
    is_worth(context, &payout, "10.10", 1).await?.has("/data/stage", "DRAFT")?;
    let again = context.send(declining(context, &lines[1])?).await?;
    again.is(422)?.has("/error/code", LINE_NOT_IN_PAYOUT.1)?;
    again.has("/error/details/status", "VOIDED")?;
    context.snapshot_of_random(&declined, &["/data/createdAt"]);
    Ok(())
}

/// A line of a PAID payout cannot be declined.
#[case("X8", on = declineCommissionLine, requests = 12)]
async fn paid(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["10.10"]).await?;
    move_along(context, &payout, &["APPROVED", "PAID"]).await?;
    let rejected = context.expect(declining(context, &lines[0])?, LINE_LOCKED).await?;
    rejected.has("/error/details/status", "IN_PAYOUT")?;
    is_worth(context, &payout, "10.10", 1).await.map(drop)
}

/// No line of a payout that is being paid, or was, can be declined.
#[case("X8", on = declineCommissionLine, keys(Sandbox), changes = Irreversible, requests = 40)]
async fn locked(context: &mut CaseContext<'_>) -> CaseResult {
    context.forgo_snapshots();
    let owner = Owner::new(context).await?;
    for stage in LOCKED {
        let (payout, lines) = owner.payout_of(context, &["10.10"]).await?;
        move_along(context, &payout, &route(stage)).await?;
        let rejected = context.expect(declining(context, &lines[0])?, LINE_LOCKED).await?;
        rejected.has("/error/details/status", "IN_PAYOUT")?;
        rejected.has("/error/details/stage", stage)?;
        rejected.has("/error/details/payoutId", payout.as_str())?;
        is_worth(context, &payout, "10.10", 1).await?.has("/data/stage", stage)?;
    }
    Ok(())
}

/// A payout whose last line is declined becomes DECLINED where its stage may, else it stays.
#[case("X8.last", on = declineCommissionLine, requests = 100)]
async fn last(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    for (stage, next) in table().into_iter().filter(|(stage, _)| !LOCKED.contains(stage)) {
        let (payout, lines) = owner.payout_of(context, &["10.10"]).await?;
        move_along(context, &payout, &route(stage)).await?;
        context.ok(declining(context, &lines[0])?).await?;
        let after = if next.contains(&"DECLINED") { "DECLINED" } else { stage };
        is_worth(context, &payout, "0.00", 0).await?.has("/data/stage", after)?;
    }
    Ok(())
}

/// A decline for a CUSTOM reason requires a note.
#[case("X8.note", on = declineCommissionLine)]
async fn custom(context: &mut CaseContext<'_>) -> CaseResult {
    let path = format!("{}/decline", line_path(UNKNOWN_ID));
    let mut body = json!({ "reason": "CUSTOM" });
    let rejected = context.send(posting(context, &path, &body)?).await?;
    context.is_violation(&rejected, &["body /note REQUIRED"])?;
    body["note"] = json!("Paid by bank transfer in April");
    context.send(posting(context, &path, &body)?).await?.is(404).map(drop)
}
