//! Payouts, created and updated (X3, X4).

use super::{Owner, PAYOUTS, changing, is_in, is_worth, made, posting};
use crate::cases::{partners::shows, prelude::*};

/// A payout takes exactly the pending lines of its partner, currency and period, if it is to.
#[case("X3", on = createPayout, keys(Sandbox), changes = Irreversible, requests = 24)]
async fn attached(context: &mut CaseContext<'_>) -> CaseResult {
    let (owner, other) = (Owner::new(context).await?, Owner::new(context).await?);
    let mut ids = Vec::new();
    for (owner, amount, members) in [
        (&owner, "10.10", json!({})),
        (&owner, "-0.35", json!({ "periodEnd": owner.days_later(-40) })),
        (&owner, "20.00", json!({ "periodEnd": owner.days_later(1) })),
        (&owner, "30.00", json!({ "currency": "USD" })),
        (&other, "40.00", json!({ "periodEnd": owner.days_later(0) })),
    ] {
        let line = owner.line(context, amount, members).await?;
        ids.push(line.text("/data/id").to_owned());
    }
    let (without, _) = owner.payout_of(context, &[]).await?;
    is_worth(context, &without, "0.00", 0).await?;
    let body = owner.payout_body(json!({ "attachPendingLines": true }));
    let payout = made(context, PAYOUTS, &body).await?;
    payout.has("/data/amount/value", "9.75")?.has("/data/amount/currency", "EUR")?;
    payout.has("/data/stage", "DRAFT")?.has("/data/partner/id", owner.partner.as_str())?;
    let id = payout.text("/data/id");
    is_worth(context, id, "9.75", 2).await?;
    for (index, line) in ids.iter().enumerate() {
        is_in(context, line, (index < 2).then_some(id)).await?;
    }
    Ok(())
}

/// A batch has one payout of a partner and currency: a second creation is answered with it.
#[case("X3.known", on = createPayout, requests = 12)]
async fn known(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let body = owner.payout_body(json!({ "poNumber": "PO-1" }));
    let first = made(context, PAYOUTS, &body).await?;
    owner.line(context, "1.00", json!({})).await?;
    let batch = first.text("/data/batchId");
    let members = json!({ "batchId": batch, "poNumber": "PO-2", "attachPendingLines": true });
    let body = owner.payout_body(members);
    let again = context.ok(posting(context, PAYOUTS, &body)?).await?;
    again.has("/data", first.at("/data").clone())?;
    is_worth(context, first.text("/data/id"), "0.00", 0).await?;
    let mut dollars = body;
    dollars["currency"] = json!("USD");
    made(context, PAYOUTS, &dollars).await?.has("/data/batchId", batch)?;
    context.snapshot_of_random(&again, &["/data/createdAt"]);
    Ok(())
}

/// PO number and metadata are kept, replaced and cleared, and equal values change nothing.
#[case("X4.fields", on = updatePayout, requests = 16)]
async fn fields(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let (id, _) = owner.payout_of(context, &[]).await?;
    let both = json!({ "poNumber": "PO-1", "metadata": { "a": "1", "b": "" } });
    let mut now = both.clone();
    let mut last = String::new();
    for (body, changes) in [
        (both.clone(), true),
        (both, false),
        (json!({}), false),
        (json!({ "metadata": { "b": "2" } }), true),
        (json!({ "poNumber": null }), true),
        (json!({ "metadata": null }), true),
        (json!({ "metadata": null, "poNumber": null }), false),
    ] {
        now = super::with(now, body.clone());
        let updated = context.ok(changing(context, &id, body)?).await?;
        for name in ["poNumber", "metadata"] {
            updated.has(&format!("/data/{name}"), now[name].clone())?;
        }
        let read = context.ok(payout(context, &id)?).await?;
        shows(&updated, read.at("/data"), &[])?;
        let at = updated.text("/data/updatedAt").to_owned();
        let expected = if changes { "another updatedAt than before" } else { &*last };
        let what = "updatedAt does not fit the change.";
        updated.that((at != last) == changes, what, expected, &at)?;
        last = at;
    }
    Ok(())
}
