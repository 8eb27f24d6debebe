//! Moves a payout to another stage, and sets its PO number:
//! `cargo run --example api update_payout <id> <stage> [PO number]`.

use std::error::Error;

use payout_client::{
    Details,
    types::{StageTransitionDetails, UpdatePayoutRequest},
};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: update_payout <id> <stage> [PO number]";
    let id = arguments.next().ok_or(usage)?;
    let stage = arguments.next().ok_or(usage)?;

    let mut changes = UpdatePayoutRequest::builder().stage(stage);
    if let Some(po_number) = arguments.next() {
        changes = changes.po_number(po_number);
    }
    match client.update_payout(id, changes).send().await {
        Ok(response) => {
            let payout = &response.data;
            let po_number = payout.po_number.as_deref().unwrap_or("none");
            println!("{}  {}, PO number {po_number}", payout.id, payout.stage);
            Ok(())
        }
        Err(error) => match error.details() {
            Some(Details::StageTransition(StageTransitionDetails { stage, allowed, .. })) => {
                Err(format!("a payout that is {stage} can move to {allowed:?}").into())
            }
            _ => Err(error.into()),
        },
    }
}
