//! Lists a page of payouts: `cargo run --example api list_payouts [stage] [partner id]`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;

    let mut request = client.list_payouts().limit(100);
    if let Some(stage) = arguments.next() {
        request = request.stage(stage);
    }
    if let Some(partner) = arguments.next() {
        request = request.partner_id(partner);
    }
    let page = request.send().await?.into_inner();

    for payout in &page.data {
        let (amount, partner) = (&payout.amount, &payout.partner.name);
        let (value, currency) = (amount.value, &amount.currency);
        println!("{}  {:<15} {value:>14} {currency}  {partner}", payout.id, payout.stage);
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}
