//! Shows a commission line: `cargo run --example api get_commission_line <id>`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = arguments.next().ok_or("usage: get_commission_line <id>")?;

    let line = client.get_commission_line(id).send().await?.into_inner().data;
    println!("{}  {}", line.id, line.description);
    println!("amount     {} {} of {}", line.amount, line.currency, line.source_amount);
    println!("status     {}", line.status);
    println!("payout     {}", line.payout_id.as_ref().map_or("none", |id| id.as_str()));
    println!("period end {}", line.period_end);
    println!("key        {}", line.idempotency_key.as_deref().unwrap_or("none"));
    Ok(())
}
