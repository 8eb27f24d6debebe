//! Lists the partners, page by page: `cargo run --example api list_partners [page size]`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let page_size: u32 = arguments.next().map_or(Ok(25), |argument| argument.parse())?;

    let mut pages = client.list_partners().limit(page_size).pages();
    while let Some(page) = pages.next().await.transpose()? {
        for partner in &page.data {
            let domain = partner.domain.as_deref().unwrap_or("no domain");
            println!("{}  {:<9} {} ({domain})", partner.id, partner.status, partner.name);
        }
    }
    Ok(())
}
