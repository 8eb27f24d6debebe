//! Makes the payouts of a period from all pending lines, and lists them:
//! `cargo run --example create_payout_batch <period start> <period end>`.
//!
//! Every partner and currency with pending lines gets one payout. The period is two instants, such
//! as `2026-06-01T00:00:00Z`. It reads the environment variables `PAYOUT_BASE_URL` and
//! `PAYOUT_API_KEY`.

use std::{env, error::Error};

use payout_client::{
    Timestamp,
    types::{CreatePayoutBatchRequest, Cursor},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: create_payout_batch <period start> <period end>";
    let start: Timestamp = arguments.next().ok_or(usage)?.parse()?;
    let end: Timestamp = arguments.next().ok_or(usage)?.parse()?;

    let key = format!("batch-{start}-{end}");
    let period = CreatePayoutBatchRequest::builder().period_start(start).period_end(end);
    let request = client.create_payout_batch().idempotency_key(key).body(period);
    let batch = request.send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);

    let mut cursor: Option<Cursor> = None;
    loop {
        let mut request = client.list_payouts().batch_id(&batch.id).limit(100u32);
        if let Some(cursor) = cursor {
            request = request.cursor(cursor);
        }
        let page = request.send().await?.into_inner();
        for payout in &page.data {
            let amount = &payout.amount;
            println!(
                "{}  {:>14} {}  {}",
                payout.id, amount.value, amount.currency, payout.partner.name
            );
        }
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            return Ok(());
        }
    }
}
