//! Shows a payout: `cargo run --example api get_payout <id>`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = arguments.next().ok_or("usage: get_payout <id>")?;

    let response = client.get_payout(id).send().await?;
    let payout = &response.data;
    println!("{}  {}", payout.id, payout.partner.name);
    println!("amount     {} {}", payout.amount.value, payout.amount.currency);
    println!("stage      {}", payout.stage);
    println!("period     {} to {}", payout.period_start, payout.period_end);
    println!("PO number  {}", payout.po_number.as_deref().unwrap_or("none"));
    if let Some(note) = payout.metadata.as_ref().and_then(|metadata| metadata.get("statementNote"))
    {
        println!("note       {note}");
    }
    println!("request    {}", response.request_id().unwrap_or("without an id"));
    Ok(())
}
