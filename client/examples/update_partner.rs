//! Renames a partner, and sets or clears its domain:
//! `cargo run --example update_partner <id> <name> [domain | -]`.
//!
//! The third argument is the new domain; `-` clears it, and none keeps it.

use std::{env, error::Error};

use payout_client::{Change, types::UpdatePartnerRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let mut arguments = env::args().skip(1);
    let usage = "usage: update_partner <id> <name> [domain | -]";
    let id = arguments.next().ok_or(usage)?;
    let name = arguments.next().ok_or(usage)?;
    let domain = match arguments.next().as_deref() {
        None => Change::Keep,
        Some("-") => Change::Clear,
        Some(domain) => Change::try_from(domain)?,
    };

    let changes = UpdatePartnerRequest::builder().name(name).domain(domain);
    let partner = client.update_partner(id, changes).send().await?.into_inner().data;
    println!("{}  {}", partner.id, partner.name);
    println!("domain      {}", partner.domain.as_deref().unwrap_or("none"));
    println!("updated     {}", partner.updated_at);
    Ok(())
}
