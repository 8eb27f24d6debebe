//! Commission lines, created and edited, and what the payouts that have them are worth (X6, X7).

use super::{
    LOCKED, OPEN, Owner, PAYOUTS, ROUTE, declining, editing, is_in, is_worth, line, made,
    move_along, one_is_made, posting,
};
use crate::cases::{lines::detaching, prelude::*};

/// A new line waits in the pending pool, or is added to the payout that it names.
#[case("X6", on = createCommissionLine, requests = 12)]
async fn created(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let pending = owner.line(context, "3.00", json!({})).await?;
    is_in(context, pending.text("/data/id"), None).await?;
    let (payout, lines) = owner.payout_of(context, &["10.10", "-0.35"]).await?;
    is_in(context, &lines[1], Some(&payout)).await?;
    is_worth(context, &payout, "9.75", 2).await.map(drop)
}

/// A line is rejected by the payout of another partner or currency.
#[case("X6.payout", on = createCommissionLine, requests = 12)]
async fn of_another_payout(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (theirs, _) = Owner::new(context).await?.payout_of(context, &[]).await?;
    let dollars = made(context, PAYOUTS, &owner.payout_body(json!({ "currency": "USD" }))).await?;
    let dollars = dollars.text("/data/id").to_owned();
    for (payout, error) in [(theirs, PARTNER_MISMATCH), (dollars, CURRENCY_MISMATCH)] {
        let body = owner.line_body("1.00", json!({ "payoutId": payout }));
        context.expect(posting(context, LINES.path, &body)?, error).await?;
        is_worth(context, &payout, "0.00", 0).await?;
    }
    Ok(())
}

/// A payout takes lines in four stages, and rejects them in each other one.
#[case("X6.payout", on = createCommissionLine, requests = 32)]
async fn by_stage(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, _) = owner.payout_of(context, &[]).await?;
    let body = owner.line_body("0.01", json!({ "payoutId": payout }));
    for stage in ROUTE.split(' ') {
        move_along(context, &payout, &[stage]).await?;
        let response = context.send(posting(context, LINES.path, &body)?).await?;
        if OPEN.contains(&stage) {
            response.is(201)?;
        } else {
            response.is(422)?.has("/error/code", PAYOUT_LOCKED.1)?;
            response.has("/error/details/stage", stage)?;
            if stage == "PAID" {
                context.snapshot(&response);
            }
        }
    }
    is_worth(context, &payout, "0.04", OPEN.len()).await.map(drop)
}

/// A second creation with an idempotencyKey is answered with the line as it is now.
#[case("X6.key", on = createCommissionLine)]
async fn known_key(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let key = json!({ "idempotencyKey": marker() });
    let first = owner.line(context, "1.00", key.clone()).await?;
    let id = first.text("/data/id");
    context.ok(editing(context, id, json!({ "amount": "2.00" }))?).await?;
    let now = line(context, id).await?;
    now.has("/data/amount", "2.00")?.has("/data/idempotencyKey", key["idempotencyKey"].clone())?;
    let other = Owner::new(context).await?.line_body("9.00", key);
    let again = context.ok(posting(context, LINES.path, &other)?).await?;
    again.has("/data", now.at("/data").clone())?;
    context.snapshot_of_random(&again, &["/data/idempotencyKey", "/data/createdAt"]);
    Ok(())
}

/// Concurrent creations with one idempotencyKey make one line.
#[case("X6.key", on = createCommissionLine, requests = 12)]
async fn known_key_at_once(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let body = owner.line_body("1.00", json!({ "idempotencyKey": marker() }));
    let request = posting(context, LINES.path, &body)?;
    one_is_made(&concurrently(context, vec![request; 4]).await?)
}

/// A line's new amount changes its payout's by exactly the difference, an equal one nothing.
#[case("X7", on = updateCommissionLine, requests = 20)]
async fn edited(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["10.00", "5.00"]).await?;
    let before = line(context, &lines[0]).await?;
    let body = json!({ "amount": "-2.55", "planName": "", "sourceAmount": "7.00" });
    let edited = context.ok(editing(context, &lines[0], body.clone())?).await?;
    for (name, value) in body.as_object().into_iter().flatten() {
        edited.has(&format!("/data/{name}"), value.clone())?;
    }
    let what = "updatedAt did not move.";
    let moved = instant(&edited, "/data/updatedAt")? > instant(&before, "/data/updatedAt")?;
    edited.that(moved, what, "later", edited.text("/data/updatedAt"))?;
    let worth = is_worth(context, &payout, "2.45", 2).await?;
    for body in [body, json!({})] {
        let equal = context.ok(editing(context, &lines[0], body)?).await?;
        equal.has("/data", edited.at("/data").clone())?;
    }
    let after = is_worth(context, &payout, "2.45", 2).await?;
    after.has("/data/updatedAt", worth.at("/data/updatedAt").clone())?;
    context.snapshot_of_random(&edited, &["/data/createdAt"]);
    Ok(())
}

/// The sum of the largest lines is exact, and each of them can leave its payout.
#[case("V4.sum", on = createCommissionLine, keys(Sandbox), changes = Irreversible, requests = 24)]
async fn of_the_largest_amount(context: &mut CaseContext<'_>) -> CaseResult {
    const LARGEST_AMOUNT: &str = "999999999999999999.99";
    let owner = Owner::new(context).await?;
    let amounts = [LARGEST_AMOUNT, LARGEST_AMOUNT, "0.02", "-0.01"];
    let (payout, lines) = owner.payout_of(context, &amounts).await?;
    is_worth(context, &payout, "1999999999999999999.99", 4).await?;
    context.ok(detaching(context, &lines[3])?).await?;
    is_worth(context, &payout, "2000000000000000000.00", 3).await?;
    context.ok(declining(context, &lines[0])?).await?;
    is_worth(context, &payout, "1000000000000000000.01", 2).await.map(drop)
}

/// A payout's statement is rebuilt after one of its lines was edited.
#[case("§4.7.2", on = updateCommissionLine, requests = 16)]
async fn edited_in_statement(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["10.00"]).await?;
    let mut earlier = Document::of(context, &payout).await?;
    for body in [json!({ "amount": "11.00" }), json!({ "description": "Another description" })] {
        context.ok(editing(context, &lines[0], body)?).await?;
        let document = Document::of(context, &payout).await?;
        document.differs_from(&earlier, context, "a line was edited")?;
        earlier = document;
    }
    Ok(())
}

/// A line of a payout that is being paid, a voided one, and the currency of a payout cannot be
/// changed; equal values can be sent in every state.
#[case("X7.locked", on = updateCommissionLine, requests = 32)]
async fn locked(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (payout, lines) = owner.payout_of(context, &["10.00", "5.00"]).await?;
    let dollars = editing(context, &lines[0], json!({ "currency": "USD" }))?;
    context.expect(dollars, CURRENCY_MISMATCH).await?;
    let edit = editing(context, &lines[0], json!({ "amount": "1.00" }))?;
    let equal = editing(context, &lines[0], json!({ "amount": "10.00" }))?;
    move_along(context, &payout, &["APPROVED"]).await?;
    for stage in LOCKED {
        move_along(context, &payout, &[stage]).await?;
        let rejected = context.expect(edit.clone(), LINE_LOCKED).await?;
        rejected.has("/error/details/status", "IN_PAYOUT")?;
        rejected.has("/error/details/payoutId", payout.as_str())?;
        rejected.has("/error/details/stage", stage)?;
        context.ok(equal.clone()).await?;
    }
    is_worth(context, &payout, "15.00", 2).await?;
    move_along(context, &payout, &["FAILED"]).await?;
    context.ok(edit.clone()).await?;
    context.ok(declining(context, &lines[0])?).await?;
    context.ok(editing(context, &lines[0], json!({ "amount": "1.00" }))?).await?;
    let edit = editing(context, &lines[0], json!({ "amount": "2.00" }))?;
    let rejected = context.expect(edit, LINE_VOIDED).await?;
    rejected.has("/error/details/status", "VOIDED").map(drop)
}
