//! Creates a payout of everything that a partner has earned up to a day:
//! `cargo run --example api create_payout <partner id> <currency> <period start> <period end>`.
//!
//! The period is two instants, such as `2026-06-01T00:00:00Z`. The payout takes the partner's
//! pending lines in this currency that belong to no later period.

use std::error::Error;

use payout_client::{Timestamp, types::CreatePayoutRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: create_payout <partner id> <currency> <period start> <period end>";
    let partner = arguments.next().ok_or(usage)?;
    let currency = arguments.next().ok_or(usage)?;
    let start: Timestamp = arguments.next().ok_or(usage)?.parse()?;
    let end: Timestamp = arguments.next().ok_or(usage)?.parse()?;

    // With this key the partner gets one payout for the period, however often the program runs
    // within 24 hours.
    let key = format!("payout-{partner}-{currency}-{end}");
    let payout = CreatePayoutRequest::builder(partner, currency)
        .period_start(start)
        .period_end(end)
        .attach_pending_lines(true);
    let response = client.create_payout(payout).idempotency_key(key).send().await?;
    let payout = &response.data;
    println!("{}  {}", payout.id, payout.partner.name);
    println!("amount     {} {}", payout.amount.value, payout.amount.currency);
    println!("stage      {}", payout.stage);
    println!("batch      {}", payout.batch_id);
    if response.is_replayed() {
        println!(
            "an earlier request with this key created it; this is the response of that request"
        );
    }
    Ok(())
}
