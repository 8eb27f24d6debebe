//! Corrects the amount of a commission line: `cargo run --example update_commission_line <id>
//! <amount>`.
//!
//! If the line is in a payout, the payout's amount changes by the difference. It reads the
//! environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{env, error::Error};

use payout_client::{Money, types::UpdateCommissionLineRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: update_commission_line <id> <amount>";
    let id = arguments.next().ok_or(usage)?;
    let amount: Money = arguments.next().ok_or(usage)?.parse()?;

    let changes = UpdateCommissionLineRequest::builder().amount(amount);
    match client.update_commission_line().id(&id).body(changes).send().await {
        Ok(response) => {
            let line = &response.data;
            println!("{}  {:<9} {:>14} {}", line.id, line.status, line.amount, line.currency);
            Ok(())
        }
        Err(error) if matches!(error.code(), Some("LINE_LOCKED" | "LINE_VOIDED")) => {
            Err(format!("{id} can no longer change: it is voided, or its payout is paid").into())
        }
        Err(error) => Err(error.into()),
    }
}
