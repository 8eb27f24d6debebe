//! Lists the partners, page by page: `cargo run --example list_partners [page size]`.

use std::{env, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let page_size: u32 = env::args().nth(1).map_or(Ok(25), |argument| argument.parse())?;

    let mut pages = client.list_partners().limit(page_size).pages();
    while let Some(page) = pages.next().await.transpose()? {
        for partner in &page.data {
            let domain = partner.domain.as_deref().unwrap_or("no domain");
            println!("{}  {:<9} {} ({domain})", partner.id, partner.status, partner.name);
        }
    }
    Ok(())
}
