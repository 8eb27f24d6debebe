//! Puts a pending commission line into an existing payout:
//! `cargo run --example attach_commission_line <line id> <payout id>`.

use std::{env, error::Error};

use payout_client::types::AttachCommissionLineRequest;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: attach_commission_line <line id> <payout id>";
    let line = arguments.next().ok_or(usage)?;
    let payout = arguments.next().ok_or(usage)?;

    let request = AttachCommissionLineRequest::builder(&payout);
    let line = client.attach_commission_line(line, request).send().await?.into_inner().data;
    println!("{}  is {} in {payout}", line.id, line.status);
    Ok(())
}
