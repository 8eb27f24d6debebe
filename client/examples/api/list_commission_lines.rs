//! Lists a page of commission lines and their sum:
//! `cargo run --example api list_commission_lines [status] [partner id]`.

use std::{collections::BTreeMap, error::Error};

use payout_client::{Decimal, Money};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;

    let mut request = client.list_commission_lines().limit(100);
    if let Some(status) = arguments.next() {
        request = request.status(status);
    }
    if let Some(partner) = arguments.next() {
        request = request.partner_id(partner);
    }
    let page = request.send().await?.into_inner();

    let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
    for line in &page.data {
        let payout = line.payout_id.as_ref().map_or("in no payout", |id| id.as_str());
        println!("{}  {:<9} {:>14} {}  {payout}", line.id, line.status, line.amount, line.currency);
        *sums.entry(line.currency.as_str()).or_default() += line.amount.value();
    }
    for (currency, sum) in sums {
        println!("sum: {} {currency}", Money::try_from(sum)?);
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}
