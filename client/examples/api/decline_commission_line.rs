//! Declines a commission line of a payout:
//! `cargo run --example api decline_commission_line <id> <reason> [note]`.
//!
//! The reason is one of `DUPLICATE`, `INELIGIBLE`, `ALREADY_PAID`, `DISPUTED`, `OUTSIDE_POLICY` and
//! `CUSTOM`, which needs a note.

use std::error::Error;

use payout_client::types::DeclineCommissionLineRequest;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: decline_commission_line <id> <reason> [note]";
    let id = arguments.next().ok_or(usage)?;
    let reason = arguments.next().ok_or(usage)?;

    let mut decision = DeclineCommissionLineRequest::builder(reason);
    if let Some(note) = arguments.next() {
        decision = decision.note(note);
    }
    // A line is declined once, so its id serves as the key: run again, this program succeeds again.
    let key = format!("decline-{id}");
    let request = client.decline_commission_line(&id, decision).idempotency_key(key);
    let line = request.send().await?.into_inner().data;
    println!("{}  {} {} is {}", line.id, line.amount, line.currency, line.status);
    Ok(())
}
