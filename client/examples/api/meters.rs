//! Lists the payouts, and stops before less than a reserve of the month's credits is left:
//! `cargo run --example api meters <reserve> [cursor]`.
//!
//! Each request costs a credit. The client itself waits when the minute's requests are used up.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let reserve: u64 = arguments.next().ok_or("usage: meters <reserve> [cursor]")?.parse()?;
    let mut pages = client.list_payouts().limit(10).resume(arguments.next()).pages();
    // There are no meters before the first response, and no credits of an unlimited organisation.
    while client.meters().credits.is_none_or(|credits| credits.remaining > reserve) {
        let Some(page) = pages.next().await.transpose()? else {
            println!("complete");
            return Ok(());
        };
        for payout in &page.data {
            println!("{}  {}", payout.id, payout.stage);
        }
        let left = |meter: Option<payout_client::Meter>| {
            meter.map_or("unlimited".to_owned(), |meter| {
                format!("{} of {}", meter.remaining, meter.limit)
            })
        };
        let meters = page.meters();
        println!("requests: {}, credits: {}", left(meters.rate), left(meters.credits));
    }
    let cursor = pages.cursor().map_or("the beginning", |cursor| cursor.as_str());
    println!("stopped at the reserve; resume from {cursor}");
    Ok(())
}
