//! Creates the commission line of an order, and repeats the request until a response arrives:
//! `cargo run --example create_commission_line <partner id> <order> <amount> <currency>`.
//!
//! Two keys make that safe. The header `idempotency-key` makes the repetitions one request, for 24
//! hours. The line's own `idempotencyKey` lets an order have one line, for ever. It reads the
//! environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{env, error::Error, time::Duration};

use payout_client::{Error as ClientError, StatusCode, types::CreateCommissionLineRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: create_commission_line <partner id> <order> <amount> <currency>";
    let partner = arguments.next().ok_or(usage)?;
    let order = arguments.next().ok_or(usage)?;
    let amount = arguments.next().ok_or(usage)?;
    let currency = arguments.next().ok_or(usage)?;

    let line = CreateCommissionLineRequest::builder()
        .partner_id(partner)
        .amount(amount)
        .currency(currency)
        .description(format!("Commission on order {order}"))
        .idempotency_key(order.as_str());
    let request_key = format!("create-line-{order}");

    let mut waits = [1, 2, 4].map(Duration::from_secs).into_iter();
    let response = loop {
        let request = client.create_commission_line().idempotency_key(request_key.as_str());
        match (request.body(line.clone()).send().await, waits.next()) {
            (Err(error), Some(wait)) if is_worth_repeating(&error) => {
                eprintln!("{error}; trying again in {wait:?}");
                tokio::time::sleep(wait).await;
            }
            (result, _) => break result?,
        }
    };

    let line = &response.data;
    let done = match response.status() {
        _ if response.is_replayed() => "created by an earlier request with this key",
        StatusCode::CREATED => "created",
        _ => "the order has this line already",
    };
    println!("{}  {:<9} {:>14} {}  {done}", line.id, line.status, line.amount, line.currency);
    Ok(())
}

/// Whether the same request can succeed in a moment: no response arrived, the first request with
/// this key still runs, or the server has a problem.
fn is_worth_repeating(error: &ClientError) -> bool {
    matches!(error, ClientError::Transport(_))
        || error.code() == Some("IDEMPOTENCY_IN_PROGRESS")
        || error.status().is_some_and(|status| status.is_server_error())
}
