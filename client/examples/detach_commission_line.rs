//! Returns a commission line to the pending pool:
//! `cargo run --example detach_commission_line <id>`.
//!
//! Detaching takes no idempotency key. After a response is lost, the client does not repeat the
//! request, because another payout may have taken the line in between. This program first reads
//! where the line is.

use std::env;

use payout_client::{Client, Error, ErrorCode, types::PayoutId};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    let id = env::args().nth(1).ok_or("usage: detach_commission_line <id>")?;

    let Some(payout) = payout_of(&client, &id).await? else {
        println!("{id}  is in no payout");
        return Ok(());
    };
    detach(&client, &id, &payout).await?;
    println!("{id}  is detached from {payout}");
    Ok(())
}

async fn payout_of(client: &Client, line: &str) -> Result<Option<PayoutId>, Error> {
    Ok(client.get_commission_line(line).send().await?.into_inner().data.payout_id)
}

/// Detaches a line from this payout, and from no other.
async fn detach(client: &Client, line: &str, payout: &PayoutId) -> Result<(), Error> {
    let mut attempt = 1;
    loop {
        let error = match client.detach_commission_line(line).send().await {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        match &error {
            // Somebody else was faster.
            Error::State { code: ErrorCode::LineNotInPayout, .. } => return Ok(()),
            // The server may have detached the line, or not.
            Error::Transport(_) | Error::Unexpected { .. } if attempt < 4 => {
                if payout_of(client, line).await?.as_ref() != Some(payout) {
                    return Ok(());
                }
            }
            _ => return Err(error),
        }
        attempt += 1;
    }
}
