//! Returns a commission line to the pending pool:
//! `cargo run --example api detach_commission_line <id>`.
//!
//! The client sends an idempotency key, so that it can repeat the request after a lost response.

use payout_client::{Client, Error, ErrorCode};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    let id = arguments.next().ok_or("usage: detach_commission_line <id>")?;

    match client.detach_commission_line(&id).send().await {
        Ok(_) => println!("{id}  is detached"),
        Err(Error::State { code: ErrorCode::LineNotInPayout, .. }) => {
            println!("{id}  is in no payout");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
