//! Shows a commission line: `cargo run --example get_commission_line <id>`.

use std::{env, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = env::args().nth(1).ok_or("usage: get_commission_line <id>")?;

    let line = client.get_commission_line(id).send().await?.into_inner().data;
    println!("{}  {}", line.id, line.description);
    println!("amount     {} {} of {}", line.amount, line.currency, line.source_amount);
    println!("status     {}", line.status);
    println!("payout     {}", line.payout_id.as_ref().map_or("none", |id| id.as_str()));
    println!("period end {}", line.period_end);
    println!("key        {}", line.idempotency_key.as_deref().unwrap_or("none"));
    Ok(())
}
