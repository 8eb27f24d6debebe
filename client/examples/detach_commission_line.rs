//! Returns a commission line to the pending pool: `cargo run --example detach_commission_line
//! <id>`.
//!
//! It reads the environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{env, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let id = env::args().nth(1).ok_or("usage: detach_commission_line <id>")?;

    match client.detach_commission_line().id(&id).send().await {
        Ok(response) => {
            let line = &response.data;
            println!("{}  {} {} is {}", line.id, line.amount, line.currency, line.status);
            Ok(())
        }
        // The line is detached already.
        Err(error) if error.code() == Some("LINE_NOT_IN_PAYOUT") => {
            println!("{id}  is in no payout");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
