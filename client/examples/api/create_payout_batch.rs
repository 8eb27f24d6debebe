//! Makes the payouts of a period from all pending lines, and lists them:
//! `cargo run --example api create_payout_batch <period start> <period end>`.
//!
//! Every partner and currency with pending lines gets one payout. The period is two instants, such
//! as `2026-06-01T00:00:00Z`.

use std::error::Error;

use payout_client::{Timestamp, types::CreatePayoutBatchRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: create_payout_batch <period start> <period end>";
    let start: Timestamp = arguments.next().ok_or(usage)?.parse()?;
    let end: Timestamp = arguments.next().ok_or(usage)?.parse()?;

    let key = format!("batch-{start}-{end}");
    let period = CreatePayoutBatchRequest::builder().period_start(start).period_end(end);
    let request = client.create_payout_batch(period).idempotency_key(key);
    let batch = request.send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);

    let mut payouts = client.list_payouts().batch_id(&batch.id).limit(100).stream();
    while let Some(payout) = payouts.next().await.transpose()? {
        let (amount, partner) = (&payout.amount, &payout.partner.name);
        println!("{}  {:>14} {}  {partner}", payout.id, amount.value, amount.currency);
    }
    Ok(())
}
