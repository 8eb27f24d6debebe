//! Shows a partner, by its service id or its CRM id: `cargo run --example api get_partner <id>`.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let id = arguments.next().ok_or("usage: get_partner <id or CRM id>")?;

    let partner = client.get_partner(id).send().await?.into_inner().data;
    println!("{}  {}", partner.id, partner.name);
    println!("status      {}", partner.status);
    println!("domain      {}", partner.domain.as_deref().unwrap_or("none"));
    println!("categories  {}", partner.categories.join(", "));
    if let Some(manager) = &partner.manager {
        println!("manager     {} <{}>", manager.name, manager.email);
    }
    for (name, value) in partner.crm_properties.iter() {
        println!("CRM         {name} = {value}");
    }
    println!("updated     {}", partner.updated_at);
    Ok(())
}
