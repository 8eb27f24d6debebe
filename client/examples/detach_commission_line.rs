//! Returns a commission line to the pending pool:
//! `cargo run --example detach_commission_line <id>`.
//!
//! The client sends an idempotency key, so that it can repeat the request after a lost response.

use std::env;

use payout_client::{Client, Error, ErrorCode};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    let id = env::args().nth(1).ok_or("usage: detach_commission_line <id>")?;

    match client.detach_commission_line(&id).send().await {
        Ok(_) => println!("{id}  is detached"),
        Err(Error::State { code: ErrorCode::LineNotInPayout, .. }) => {
            println!("{id}  is in no payout");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
