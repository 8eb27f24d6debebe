//! Lists the partners, page by page: `cargo run --example list_partners [page size]`.
//!
//! It reads the environment variables `PAYOUT_BASE_URL` and `PAYOUT_API_KEY`.

use std::{env, error::Error};

use payout_client::types::Cursor;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("PAYOUT_BASE_URL")?;
    let client = payout_client::connect(&base_url, env::var("PAYOUT_API_KEY")?)?;
    let page_size: u32 = env::args().nth(1).map_or(Ok(25), |argument| argument.parse())?;

    let mut cursor: Option<Cursor> = None;
    loop {
        let mut request = client.list_partners().limit(page_size);
        if let Some(cursor) = cursor {
            request = request.cursor(cursor);
        }
        let page = request.send().await?.into_inner();
        for partner in &page.data {
            let domain = partner.domain.as_deref().unwrap_or("no domain");
            println!("{}  {:<9} {} ({domain})", partner.id, partner.status, partner.name);
        }
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            return Ok(());
        }
    }
}
