//! Moves a payout to another stage, and sets its PO number:
//! `cargo run --example update_payout <id> <stage> [PO number]`.
//!
//! It reads the environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{env, error::Error};

use payout_client::types::UpdatePayoutRequest;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: update_payout <id> <stage> [PO number]";
    let id = arguments.next().ok_or(usage)?;
    let stage = arguments.next().ok_or(usage)?;

    let mut changes = UpdatePayoutRequest::builder().stage(stage);
    if let Some(po_number) = arguments.next() {
        changes = changes.po_number(po_number);
    }
    match client.update_payout().id(id).body(changes).send().await {
        Ok(response) => {
            let payout = &response.data;
            let po_number = payout.po_number.as_deref().unwrap_or("none");
            println!("{}  {}, PO number {po_number}", payout.id, payout.stage);
            Ok(())
        }
        Err(error) if error.code() == Some("INVALID_STAGE_TRANSITION") => {
            let details = error.api().and_then(|error| error.details.as_ref());
            let allowed =
                details.map_or("unknown".to_owned(), |details| details["allowed"].to_string());
            Err(format!("{error}; from its stage it can move to {allowed}").into())
        }
        Err(error) => Err(error.into()),
    }
}
