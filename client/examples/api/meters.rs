//! Lists the payouts, and stops before less than a reserve of the month's credits is left:
//! `meters <reserve> [cursor]`.
//!
//! Each request costs a credit. The client itself waits when the minute's requests are used up.

use payout_client::{Client, Meter};

use super::{Arguments, Outcome};

pub(crate) async fn meters(client: Client, mut arguments: Arguments) -> Outcome {
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
        let left = |meter: Option<Meter>| {
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
