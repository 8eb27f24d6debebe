//! Creates a partner, or updates the one that has the domain already:
//! `cargo run --example create_partner <name> <domain>`.
//!
//! The domain identifies the partner, so this program can run again without making a second one.

use std::{env, error::Error};

use payout_client::{StatusCode, types::CreatePartnerRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: create_partner <name> <domain>";
    let name = arguments.next().ok_or(usage)?;
    let domain = arguments.next().ok_or(usage)?;

    let partner = CreatePartnerRequest::builder(name).domain(domain);
    let response = client.create_partner(partner).send().await?;
    let partner = &response.data;
    let done = if response.status() == StatusCode::CREATED { "created" } else { "known already" };
    println!("{}  {:<9} {} ({done})", partner.id, partner.status, partner.name);
    Ok(())
}
