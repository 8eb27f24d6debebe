//! Prints the commission lines of a partner that are not paid yet, as CSV:
//! `cargo run -- <partner id> > unpaid.csv`.
//!
//! A line is unpaid while it is not voided, and is in no payout or in one that is not paid. The
//! program reads the environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{collections::BTreeMap, env, error::Error};

use payout_client::{
    Client,
    types::{CommissionLineListItem, CommissionLineStatus, PayoutId, PayoutStage},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let partner = env::args().nth(1).ok_or("usage: unpaid-lines <partner id>")?;

    println!("id,period end,amount,currency,stage of its payout,description");
    let mut stages = BTreeMap::new();
    let mut lines = client.list_commission_lines().partner_id(partner).limit(100).stream();
    while let Some(line) = lines.next().await.transpose()? {
        let stage = match &line.payout_id {
            Some(payout) => Some(stage(&client, payout, &mut stages).await?),
            None => None,
        };
        if line.status != CommissionLineStatus::Voided && stage != Some(PayoutStage::Paid) {
            println!("{}", row(&line, stage.as_ref()));
        }
    }
    Ok(())
}

/// The stage of a payout, which is requested once.
async fn stage(
    client: &Client,
    payout: &PayoutId,
    known: &mut BTreeMap<PayoutId, PayoutStage>,
) -> Result<PayoutStage, payout_client::Error> {
    if let Some(stage) = known.get(payout) {
        return Ok(stage.clone());
    }
    let stage = client.get_payout(payout).send().await?.into_inner().data.stage;
    known.insert(payout.clone(), stage.clone());
    Ok(stage)
}

fn row(line: &CommissionLineListItem, stage: Option<&PayoutStage>) -> String {
    let CommissionLineListItem { id, period_end, amount, currency, description, .. } = line;
    let stage = stage.map_or("in no payout", PayoutStage::as_str);
    let description = quoted(description);
    format!("{id},{period_end},{amount},{},{stage},{description}", currency.as_str())
}

/// A value of CSV that may hold commas, quotes and line breaks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
