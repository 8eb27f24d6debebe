//! Batches of payouts (X5, §3.1), which take the pending lines of all partners.

use super::{BATCHES, Owner, PAYOUTS, is_in, is_worth, made, posting};
use crate::cases::{lines::detaching, prelude::*};

/// A batch of the pending lines until the end of the owner's period.
async fn batch(context: &mut CaseContext<'_>, owner: &Owner) -> CaseResult<Response> {
    made(context, BATCHES, &owner.batch_body()).await
}

async fn payouts_of(context: &mut CaseContext<'_>, batch: &Response) -> CaseResult<Vec<Value>> {
    let list = Request::get(PAYOUTS).with(&context.all()?);
    let list = list.query("batchId", batch.text("/data/id"));
    let walk = first_pages(context, &list, &[LARGEST; 4]).await?;
    walk.require_whole()?;
    Ok(walk.items)
}

/// The ids of the lines of a batch's payouts, which the batch counts.
async fn lines_of(
    context: &mut CaseContext<'_>,
    batch: &Response,
    payouts: &[Value],
) -> CaseResult<Vec<String>> {
    let mut lines = Vec::new();
    for payout in payouts {
        let id = payout["id"].as_str().unwrap_or_default();
        let of_payout = lines_of_payout(context, id).await?;
        lines.extend(of_payout.ids().into_iter().map(str::to_owned));
    }
    batch.has("/data/payoutCount", payouts.len())?.has("/data/lineCount", lines.len())?;
    Ok(lines)
}

/// The id of an owner's payout in a currency.
fn payout_id<'a>(payouts: &'a [Value], owner: &Owner, currency: &str) -> &'a str {
    let is_it = |payout: &&Value| {
        payout["partner"]["id"] == *owner.partner && payout["amount"]["currency"] == currency
    };
    payouts.iter().find(is_it).and_then(|payout| payout["id"].as_str()).unwrap_or("none")
}

/// A batch makes a payout for each partner and currency, of all their pending lines until its end.
#[case("X5", on = createPayoutBatch, keys(Sandbox), changes = Irreversible, requests = 40)]
async fn of_all(context: &mut CaseContext<'_>) -> CaseResult {
    let owner = Owner::early(context).await?;
    let other = Owner { partner: Owner::new(context).await?.partner, ..owner.clone() };
    let late = owner.line(context, "20.00", json!({ "periodEnd": owner.days_later(1) })).await?;
    let expected: [(_, _, &[&str], _); 3] = [
        (&owner, "EUR", &["10.10", "-0.35"], "9.75"),
        (&owner, "USD", &["30.00"], "30.00"),
        (&other, "EUR", &["40.00"], "40.00"),
    ];
    for (owner, currency, amounts, _) in expected {
        for amount in amounts {
            owner.line(context, amount, json!({ "currency": currency })).await?;
        }
    }
    let batch = batch(context, &owner).await?;
    let payouts = payouts_of(context, &batch).await?;
    lines_of(context, &batch, &payouts).await?;
    let path = format!("{BATCHES}/{}", batch.text("/data/id"));
    let read = context.ok(Request::get(path).with(&context.all()?)).await?;
    read.has("/data", batch.at("/data").clone())?;
    for (owner, currency, amounts, sum) in expected {
        let id = payout_id(&payouts, owner, currency);
        is_worth(context, id, sum, amounts.len()).await?.has("/data/stage", "DRAFT")?;
    }
    is_in(context, late.text("/data/id"), None).await
}

/// No two batches at once take one line.
#[case("X5", on = createPayoutBatch, keys(Sandbox), changes = Irreversible, requests = 40)]
async fn at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let owner = Owner::early(context).await?;
    let mut made = Vec::new();
    for amount in ["10.10", "-0.35", "30.00"] {
        let line = owner.line(context, amount, json!({})).await?;
        made.push(line.text("/data/id").to_owned());
    }
    let request = posting(context, BATCHES, &owner.batch_body())?;
    let mut taken = Vec::new();
    for batch in concurrently(context, vec![request; 3]).await? {
        let payouts = payouts_of(context, batch.is(201)?).await?;
        taken.extend(lines_of(context, &batch, &payouts).await?);
        let own = payout_id(&payouts, &owner, "EUR");
        if own != "none" {
            is_worth(context, own, "39.75", made.len()).await?;
        }
    }
    for line in made {
        let count = taken.iter().filter(|other| **other == line).count();
        let read = super::line(context, &line).await?;
        read.same("The line is in another number of payouts of the batches.", &1, &count)?;
    }
    Ok(())
}

/// A detached line is taken by a later batch.
#[case("§3.1.later", on = createPayoutBatch, keys(Sandbox), changes = Irreversible, requests = 24)]
async fn detached(context: &mut CaseContext<'_>) -> CaseResult {
    let owner = Owner::early(context).await?;
    let (first, lines) = owner.payout_of(context, &["10.10"]).await?;
    context.ok(detaching(context, &lines[0])?).await?;
    is_in(context, &lines[0], None).await?;
    let batch = batch(context, &owner).await?;
    let payouts = payouts_of(context, &batch).await?;
    let own = payout_id(&payouts, &owner, "EUR");
    is_in(context, &lines[0], Some(own)).await?;
    is_worth(context, own, "10.10", 1).await?;
    is_worth(context, &first, "0.00", 0).await.map(drop)
}

/// A batch that is to attach nothing leaves the pending lines where they are.
#[case("X5", on = createPayoutBatch, keys(Sandbox), changes = Irreversible)]
async fn empty(context: &mut CaseContext<'_>) -> CaseResult {
    let owner = Owner::early(context).await?;
    let pending = owner.line(context, "10.10", json!({})).await?;
    let body = json!({
        "periodStart": owner.days_later(-30),
        "periodEnd": owner.days_later(0),
        "attachPendingLines": false,
    });
    let batch = made(context, BATCHES, &body).await?;
    batch.has("/data/payoutCount", 0)?.has("/data/lineCount", 0)?;
    is_in(context, pending.text("/data/id"), None).await?;
    // Its payouts may be made later.
    let body = owner.payout_body(json!({ "batchId": batch.text("/data/id") }));
    context.send(posting(context, PAYOUTS, &body)?).await?.is(201).map(drop)
}

/// A batch shows today's counts and sums of its payouts, also the batch of a single payout.
#[case("X24", on = getPayoutBatch, requests = 24)]
async fn today(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let payout = made(context, PAYOUTS, &owner.payout_body(json!({}))).await?;
    let batch = payout.text("/data/batchId");
    let own = json!({ "batchId": batch, "currency": "CHF" });
    let francs = made(context, PAYOUTS, &owner.payout_body(own)).await?;
    let (francs, euros) = (francs.text("/data/id"), payout.text("/data/id"));
    for (payout, currency, amount) in
        [(francs, "CHF", "20.00"), (euros, "EUR", "10.10"), (euros, "EUR", "-0.35")]
    {
        let members = json!({ "payoutId": payout, "currency": currency });
        owner.line(context, amount, members).await?;
    }
    let read = Request::get(format!("{BATCHES}/{batch}")).with(&context.all()?);
    let shown = context.ok(read.clone()).await?;
    shown.has("/data/payoutCount", 2)?.has("/data/lineCount", 3)?;
    let totals = |euros| {
        let francs = json!({ "value": "20.00", "currency": "CHF" });
        json!([francs, { "value": euros, "currency": "EUR" }])
    };
    shown.has("/data/totals", totals("9.75"))?;
    let line = lines_of_payout(context, euros).await?.items.remove(0);
    let id = line["id"].as_str().unwrap_or_default();
    context.ok(detaching(context, id)?).await?;
    let left = if line["amount"] == "10.10" { "-0.35" } else { "10.10" };
    let shown = context.ok(read).await?;
    shown.has("/data/lineCount", 2)?.has("/data/totals", totals(left))?;
    let list = Request::get(BATCHES).with(&context.all()?);
    let page = context.ok(list.query("limit", "100")).await?;
    let listed = page.at("/data").as_array().into_iter().flatten();
    let found = listed.clone().find(|listed| listed["id"] == batch).cloned().unwrap_or_default();
    shown.same("The list shows the batch otherwise.", shown.at("/data"), &found)
}
