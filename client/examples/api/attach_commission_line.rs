//! Puts a pending commission line into an existing payout:
//! `cargo run --example api attach_commission_line <line id> <payout id>`.

use std::error::Error;

use payout_client::types::AttachCommissionLineRequest;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: attach_commission_line <line id> <payout id>";
    let line = arguments.next().ok_or(usage)?;
    let payout = arguments.next().ok_or(usage)?;

    let request = AttachCommissionLineRequest::builder(&payout);
    let line = client.attach_commission_line(line, request).send().await?.into_inner().data;
    println!("{}  is {} in {payout}", line.id, line.status);
    Ok(())
}
