//! Renames a partner, and sets or clears its domain:
//! `cargo run --example api update_partner <id> <name> [domain | -]`.
//!
//! The third argument is the new domain; `-` clears it, and none keeps it.

use std::error::Error;

use payout_client::{Change, types::UpdatePartnerRequest};

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
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
