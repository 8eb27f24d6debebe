//! Writes organisations: one transaction for each, which makes its keys too.

use payout_server::tools::{
    ApiKey, Billing, KeyPrefix, KeyState, LONGEST_LIFE_DAYS, Lifetime, NewKey, OrganizationId,
    Storage, Template, TenantTransaction, Tenants, create_key, create_organization, history,
    set_billing, set_template, upload,
};
use serde_json::json;

use super::{
    Dataset,
    format::{Key, Organization},
    rows::Rows,
    store,
};
use crate::Error;

pub struct Imported {
    pub id: OrganizationId,
    pub name: String,
    /// Its keys: the only place where their secrets are.
    pub keys: Vec<ImportedKey>,
    pub partners: usize,
    pub payouts: usize,
    pub commission_lines: usize,
}

pub struct ImportedKey {
    pub name: String,
    pub state: KeyState,
    pub scopes: Vec<String>,
    pub key: ApiKey,
}

/// Imports a file, and then uploads its statements as an operator does.
///
/// # Errors
/// An organisation of the file exists, or the database or the storage rejects something. The
/// organisations before it are complete then. Nothing of it is left, unless it is a statement that
/// could not be stored.
pub async fn import(
    pool: &sqlx::PgPool,
    storage: &Storage,
    dataset: Dataset,
    prefix: impl Into<KeyPrefix>,
) -> Result<Vec<Imported>, Error> {
    let prefix = prefix.into();
    let ids: Vec<&str> = dataset.ids().map(OrganizationId::as_str).collect();
    let names: Vec<&str> = dataset.0.iter().map(|(_, from, _)| from.name.as_str()).collect();
    let existing = store::existing_organizations(pool, &ids, &names).await?;
    if !existing.is_empty() {
        let names = existing.iter().map(|(id, name)| format!("{name:?} ({id})"));
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(format!(
            "nothing was imported: the database already contains {names}. Give them other names \
             and ids in the file, or, for the data set, run: payout-devdata seed --reset"
        )
        .into());
    }
    let tenants = Tenants::from(pool);
    let mut imported: Vec<Imported> = Vec::new();
    for (id, organization, rows) in dataset.0 {
        let done = write_organization(&tenants, &id, &organization, &rows, prefix).await;
        imported.push(done.map_err(|error| {
            let before = imported.iter().map(|before| before.name.as_str()).collect::<Vec<_>>();
            let before = if before.is_empty() { "nothing".to_owned() } else { before.join(", ") };
            format!("{:?} was not imported, and {before} before it: {error}", organization.name)
        })?);
        for (payout, pdf) in rows.uploaded_statements {
            upload(&tenants, storage, &id, &payout, pdf).await.map_err(|error| {
                format!(
                    "{:?} was imported, but not the statement of {payout}: {error}. \
                     `payout-server statements upload` stores it",
                    organization.name
                )
            })?;
        }
    }
    Ok(imported)
}

async fn write_organization(
    tenants: &Tenants,
    id: &OrganizationId,
    organization: &Organization,
    rows: &Rows,
    prefix: KeyPrefix,
) -> Result<Imported, Error> {
    let mut transaction = tenants.write(id).await?;
    let keys = write_settings(&mut transaction, organization, prefix).await?;
    for (table, rows) in &rows.tables {
        store::insert(&mut transaction, table, rows).await?;
    }
    let imported = Imported {
        id: id.clone(),
        name: organization.name.clone(),
        keys,
        partners: rows.count("partners"),
        payouts: rows.count("payouts"),
        commission_lines: rows.count("commission_lines"),
    };
    let after = json!({
        "partners": imported.partners,
        "payouts": imported.payouts,
        "commissionLines": imported.commission_lines,
    });
    history::record(&mut transaction, "import", id.as_str(), None, Some(after)).await?;
    transaction.commit().await?;
    Ok(imported)
}

async fn write_settings(
    transaction: &mut TenantTransaction,
    organization: &Organization,
    prefix: KeyPrefix,
) -> Result<Vec<ImportedKey>, Error> {
    create_organization(transaction, &organization.name, organization.limits).await?;
    let none = Billing::default();
    if organization.billing != none {
        set_billing(transaction, &none, &organization.billing).await?;
    }
    let template = &organization.template;
    let template = Template {
        title: template.title.clone(),
        accent_colour: template.accent_colour.clone(),
        footer: template.footer.clone(),
        logo: template.logo.as_ref().map(|logo| logo.0.clone()),
    };
    set_template(transaction, &Template::default(), &template).await?;
    let mut keys = Vec::new();
    for Key { name, scopes, state, ended_at } in &organization.keys {
        let life = match state {
            KeyState::Active if ended_at.is_some() => {
                return Err(format!(
                    "the active key {name:?} has an `endedAt`: remove it, or give another `state`"
                )
                .into());
            }
            KeyState::Active => Lifetime::Days(LONGEST_LIFE_DAYS),
            KeyState::Expired => Lifetime::Expired(*ended_at),
            KeyState::Revoked => Lifetime::Revoked(*ended_at),
        };
        let scopes: Vec<_> = scopes.iter().map(|scope| scope.as_str().to_owned()).collect();
        let key = ApiKey::generate(prefix);
        create_key(transaction, NewKey { name, scopes: &scopes, life }, &key).await?;
        keys.push(ImportedKey { name: name.clone(), state: *state, scopes, key });
    }
    Ok(keys)
}
