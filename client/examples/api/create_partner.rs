//! Creates a partner, or updates the one that has the domain already:
//! `cargo run --example api create_partner <name> <domain>`.
//!
//! The domain identifies the partner, so this program can run again without making a second one.

use std::error::Error;

use payout_client::{StatusCode, types::CreatePartnerRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
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
