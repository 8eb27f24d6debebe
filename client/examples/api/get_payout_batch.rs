//! Shows a batch of payouts: `cargo run --example api get_payout_batch <id>`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = arguments.next().ok_or("usage: get_payout_batch <id>")?;

    let batch = client.get_payout_batch(id).send().await?.into_inner().data;
    println!("{}  {} payouts of {} lines", batch.id, batch.payout_count, batch.line_count);
    println!("period     {} to {}", batch.period_start, batch.period_end);
    for total in &batch.totals {
        println!("total      {:>14} {}", total.value, total.currency);
    }
    Ok(())
}
