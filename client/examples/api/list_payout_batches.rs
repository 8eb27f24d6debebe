//! Lists the batches of payouts, newest first: `cargo run --example api list_payout_batches`.

use std::error::Error;

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;

    let mut batches = client.list_payout_batches().limit(100).stream();
    while let Some(batch) = batches.next().await.transpose()? {
        println!("{}  {:>6} payouts  until {}", batch.id, batch.payout_count, batch.period_end);
    }
    Ok(())
}
