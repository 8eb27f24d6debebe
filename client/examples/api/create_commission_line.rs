//! Creates the commission line of an order, once, however often the program runs:
//! `cargo run --example api create_commission_line <partner id> <order> <amount> <currency>`.
//!
//! Two keys make that safe. The header `idempotency-key`, which the client would choose at random,
//! makes all runs of 24 hours one request. The line's own `idempotencyKey` lets an order have one
//! line, for ever.

use std::error::Error;

use payout_client::{StatusCode, types::CreateCommissionLineRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: create_commission_line <partner id> <order> <amount> <currency>";
    let partner = arguments.next().ok_or(usage)?;
    let order = arguments.next().ok_or(usage)?;
    let amount = arguments.next().ok_or(usage)?;
    let currency = arguments.next().ok_or(usage)?;

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
