//! Shows a batch of payouts: `cargo run --example get_payout_batch <id>`.

use std::{env, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = env::args().nth(1).ok_or("usage: get_payout_batch <id>")?;

    let batch = client.get_payout_batch(id).send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);
    println!("period     {} to {}", batch.period_start, batch.period_end);
    for total in &batch.totals {
        println!("total      {:>14} {}", total.value, total.currency);
    }
    Ok(())
}
