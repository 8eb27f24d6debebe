//! Partners: listed, shown, created and changed.

use payout_client::{
    Change, Client, StatusCode,
    types::{CreatePartnerRequest, UpdatePartnerRequest},
};

use super::{Arguments, Outcome, exactly};

/// Lists the partners, page by page: `list_partners [page size]`.
pub(crate) async fn list_partners(client: Client, mut arguments: Arguments) -> Outcome {
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

/// Shows a partner, by its service id or its CRM id: `get_partner <id or CRM id>`.
pub(crate) async fn get_partner(client: Client, arguments: Arguments) -> Outcome {
    let [id] = exactly(arguments, "get_partner <id or CRM id>")?;

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

/// Creates a partner, or updates the one that has the domain already:
/// `create_partner <name> <domain>`.
///
/// The domain identifies the partner, so this program can run again without making a second one.
pub(crate) async fn create_partner(client: Client, arguments: Arguments) -> Outcome {
    let [name, domain] = exactly(arguments, "create_partner <name> <domain>")?;

    let partner = CreatePartnerRequest::builder(name).domain(domain);
    let response = client.create_partner(partner).send().await?;
    let partner = &response.data;
    let done = if response.status() == StatusCode::CREATED { "created" } else { "known already" };
    println!("{}  {:<9} {} ({done})", partner.id, partner.status, partner.name);
    Ok(())
}

/// Renames a partner, and sets or clears its domain: `update_partner <id> <name> [domain | -]`.
///
/// The third argument is the new domain; `-` clears it, and none keeps it.
pub(crate) async fn update_partner(client: Client, mut arguments: Arguments) -> Outcome {
    let usage = "update_partner <id> <name> [domain | -]";
    let [id, name] = exactly(arguments.by_ref().take(2), usage)?;
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
