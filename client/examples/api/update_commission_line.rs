//! Corrects the amount of a commission line: `cargo run --example api update_commission_line <id>
//! <amount>`.
//!
//! If the line is in a payout, the payout's amount changes by the difference.

use payout_client::{Error, ErrorCode, Money, types::UpdateCommissionLineRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: update_commission_line <id> <amount>";
    let id = arguments.next().ok_or(usage)?;
    let amount: Money = arguments.next().ok_or(usage)?.parse()?;

    let changes = UpdateCommissionLineRequest::builder().amount(amount);
    match client.update_commission_line(&id, changes).send().await {
        Ok(response) => {
            let line = &response.data;
            println!("{}  {:<9} {:>14} {}", line.id, line.status, line.amount, line.currency);
            Ok(())
        }
        Err(Error::State { code: ErrorCode::LineLocked | ErrorCode::LineVoided, .. }) => {
            Err(format!("{id} can no longer change: it is voided, or its payout is paid").into())
        }
        Err(error) => Err(error.into()),
    }
}
