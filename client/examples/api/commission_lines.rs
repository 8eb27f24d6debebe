//! Commission lines: listed, shown, created, changed, and moved between payouts and the pending
//! pool.

use std::collections::BTreeMap;

use payout_client::{
    Client, Decimal, Error, ErrorCode, Money, StatusCode,
    types::{
        AttachCommissionLineRequest, CreateCommissionLineRequest, DeclineCommissionLineRequest,
        UpdateCommissionLineRequest,
    },
};

use super::{Arguments, Outcome, exactly};

/// Lists a page of commission lines and their sum: `list_commission_lines [status] [partner id]`.
pub(crate) async fn list_commission_lines(client: Client, mut arguments: Arguments) -> Outcome {
    let mut request = client.list_commission_lines().limit(100);
    if let Some(status) = arguments.next() {
        request = request.status(status);
    }
    if let Some(partner) = arguments.next() {
        request = request.partner_id(partner);
    }
    let page = request.send().await?.into_inner();

    let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
    for line in &page.data {
        let payout = line.payout_id.as_ref().map_or("in no payout", |id| id.as_str());
        println!("{}  {:<9} {:>14} {}  {payout}", line.id, line.status, line.amount, line.currency);
        *sums.entry(line.currency.as_str()).or_default() += line.amount.value();
    }
    for (currency, sum) in sums {
        println!("sum: {} {currency}", Money::try_from(sum)?);
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}

/// Shows a commission line: `get_commission_line <id>`.
pub(crate) async fn get_commission_line(client: Client, arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments, "get_commission_line <id>")?;

    let line = client.get_commission_line(id).send().await?.into_inner().data;
    println!("{}  {}", line.id, line.description);
    println!("amount     {} {} of {}", line.amount, line.currency, line.source_amount);
    println!("status     {}", line.status);
    println!("payout     {}", line.payout_id.as_ref().map_or("none", |id| id.as_str()));
    println!("period end {}", line.period_end);
    println!("key        {}", line.idempotency_key.as_deref().unwrap_or("none"));
    Ok(())
}

/// Creates the commission line of an order, once, however often the program runs:
/// `create_commission_line <partner id> <order> <amount> <currency>`.
///
/// Two keys make that safe. The header `idempotency-key`, which the client would choose at random,
/// makes all runs of 24 hours one request. The line's own `idempotencyKey` lets an order have one
/// line, for ever.
pub(crate) async fn create_commission_line(client: Client, arguments: Arguments) -> Outcome {
    let usage = "create_commission_line <partner id> <order> <amount> <currency>";
    let [partner, order, amount, currency] = exactly(arguments, usage)?;

    let description = format!("Commission on order {order}");
    let line = CreateCommissionLineRequest::builder(partner, amount, currency, description)
        .idempotency_key(order.as_str());
    let request_key = format!("create-line-{order}");
    let request = client.create_commission_line(line).idempotency_key(request_key);
    let response = request.send().await?;

    let line = &response.data;
    let done = match response.status() {
        _ if response.is_replayed() => "created by an earlier request with this key",
        StatusCode::CREATED => "created",
        _ => "the order has this line already",
    };
    println!("{}  {:<9} {:>14} {}  {done}", line.id, line.status, line.amount, line.currency);
    Ok(())
}

/// Corrects the amount of a commission line: `update_commission_line <id> <amount>`.
///
/// If the line is in a payout, the payout's amount changes by the difference.
pub(crate) async fn update_commission_line(client: Client, arguments: Arguments) -> Outcome {
    let [id, amount] = exactly(arguments, "update_commission_line <id> <amount>")?;
    let amount: Money = amount.parse()?;

    let changes = UpdateCommissionLineRequest::builder().amount(amount);
    match client.update_commission_line(&id, changes).send().await {
        Ok(response) => {
            let line = &response.data;
            println!("{}  {:<9} {:>14} {}", line.id, line.status, line.amount, line.currency);
            Ok(())
        }
        Err(Error::State { code: ErrorCode::LineLocked | ErrorCode::LineVoided, .. }) => {
            Err(format!("{id} can no longer change: it is voided, or its payout is paid").into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Declines a commission line of a payout: `decline_commission_line <id> <reason> [note]`.
///
/// The reason is one of `DUPLICATE`, `INELIGIBLE`, `ALREADY_PAID`, `DISPUTED`, `OUTSIDE_POLICY` and
/// `CUSTOM`, which needs a note.
pub(crate) async fn decline_commission_line(client: Client, mut arguments: Arguments) -> Outcome {
    let usage = "decline_commission_line <id> <reason> [note]";
    let [id, reason] = exactly(arguments.by_ref().take(2), usage)?;

    let mut decision = DeclineCommissionLineRequest::builder(reason);
    if let Some(note) = arguments.next() {
        decision = decision.note(note);
    }
    // A line is declined once, so its id serves as the key: run again, this program succeeds again.
    let key = format!("decline-{id}");
    let request = client.decline_commission_line(&id, decision).idempotency_key(key);
    let line = request.send().await?.into_inner().data;
    println!("{}  {} {} is {}", line.id, line.amount, line.currency, line.status);
    Ok(())
}

/// Returns a commission line to the pending pool: `detach_commission_line <id>`.
///
/// The client sends an idempotency key, so that it can repeat the request after a lost response.
pub(crate) async fn detach_commission_line(client: Client, arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments, "detach_commission_line <id>")?;

    match client.detach_commission_line(&id).send().await {
        Ok(_) => println!("{id}  is detached"),
        Err(Error::State { code: ErrorCode::LineNotInPayout, .. }) => {
            println!("{id}  is in no payout");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Puts a pending commission line into an existing payout:
/// `attach_commission_line <line id> <payout id>`.
pub(crate) async fn attach_commission_line(client: Client, arguments: Arguments) -> Outcome {
    let [line, payout] = exactly(arguments, "attach_commission_line <line id> <payout id>")?;

    let request = AttachCommissionLineRequest::builder(&payout);
    let line = client.attach_commission_line(line, request).send().await?.into_inner().data;
    println!("{}  is {} in {payout}", line.id, line.status);
    Ok(())
}
