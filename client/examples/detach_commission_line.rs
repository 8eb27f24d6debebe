//! Returns a commission line to the pending pool: `cargo run --example detach_commission_line
//! <id>`.
//!
//! It reads the environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::env;

use payout_client::{Error, ErrorCode};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = payout_client::Client::from_env()?;
    let id = env::args().nth(1).ok_or("usage: detach_commission_line <id>")?;

    match client.detach_commission_line(&id).send().await {
        Ok(response) => {
            let line = &response.data;
            println!("{}  {} {} is {}", line.id, line.amount, line.currency, line.status);
            Ok(())
        }
        // The line is detached already.
        Err(Error::State { code: ErrorCode::LineNotInPayout, .. }) => {
            println!("{id}  is in no payout");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
