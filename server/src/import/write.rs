//! A checked file to the database: one transaction an organisation, its keys made on the way.
//!
//! It refuses a file of which any organisation exists, before it writes the first.

use serde_json::json;

use super::{
    format::{Dataset, KeyEntry, OrganizationEntry, TemplateEntry},
    resolve, store,
};
use crate::{
    gate::{ApiKey, Environment, OrganizationId},
    history::{self, Entry, OPERATOR},
    id::Kind,
    keys::{
        self, KeyState, NewKey,
        model::{LONGEST_LIFE_DAYS, Life},
    },
    organizations::{self, Billing, CreditAllowance, Limits},
    statements::{
        assets,
        storage::Storage,
        template::{Template, store::set_template},
        upload::{self, UploadError},
    },
    tenant::{TenantTransaction, Tenants},
};

/// An organisation, imported.
#[derive(Debug)]
pub struct Imported {
    /// Its id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Its keys, to be shown once.
    pub keys: Vec<ImportedKey>,
    /// How many partners it got.
    pub partners: usize,
    /// How many payouts it got.
    pub payouts: usize,
    /// How many commission lines it got.
    pub commission_lines: usize,
}

/// A key, to be shown once.
#[derive(Debug)]
pub struct ImportedKey {
    /// Its name in the file.
    pub name: String,
    /// Whether it is valid.
    pub state: KeyState,
    /// What it may do.
    pub scopes: Vec<String>,
    /// The key.
    pub key: ApiKey,
}

/// Why a sound file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Organisations of the file are there already.
    #[error("nothing was imported: {} already in the database", names(.0))]
    Exists(Vec<store::Existing>),
    /// The database refused half-way; each organisation is there whole or not at all.
    #[error("{organization:?} was not imported{}: {source}", before(.imported))]
    Refused {
        /// The organisation that is not there.
        organization: String,
        /// Those imported before it.
        imported: Vec<String>,
        /// What the database or the storage said.
        source: WriteError,
    },
    /// The database is away.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Why an organisation was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The database refused.
    #[error("the database refused: {0}")]
    Database(#[from] sqlx::Error),
    /// The storage refused, or an uploaded statement was not kept.
    #[error(transparent)]
    Upload(#[from] UploadError),
}

/// Imports a checked file.
///
/// # Errors
/// An organisation of it exists, or the database refused.
pub async fn import(
    pool: &sqlx::PgPool,
    storage: &Storage,
    dataset: Dataset,
    environment: Environment,
) -> Result<Vec<Imported>, ImportError> {
    let organizations = &dataset.organizations;
    let ids: Vec<String> = organizations
        .iter()
        .filter_map(|organization| organization.id.clone())
        .collect();
    let names: Vec<String> = organizations
        .iter()
        .map(|organization| organization.name.clone())
        .collect();
    let mut connection = pool.acquire().await?;
    let existing = store::existing_organizations(&mut connection, &ids, &names).await?;
    drop(connection);
    if !existing.is_empty() {
        return Err(ImportError::Exists(existing));
    }
    let tenants = Tenants::new(pool.clone());
    let mut imported: Vec<Imported> = Vec::new();
    for entry in dataset.organizations {
        let name = entry.name.clone();
        match import_organization(&tenants, storage, entry, environment).await {
            Ok(organization) => imported.push(organization),
            Err(source) => {
                let imported = imported
                    .into_iter()
                    .map(|organization| organization.name)
                    .collect();
                return Err(ImportError::Refused {
                    organization: name,
                    imported,
                    source,
                });
            }
        }
    }
    Ok(imported)
}

async fn import_organization(
    tenants: &Tenants,
    storage: &Storage,
    mut entry: OrganizationEntry,
    environment: Environment,
) -> Result<Imported, WriteError> {
    let id = entry.id.take().unwrap_or_else(|| Kind::Organization.mint());
    let id = OrganizationId::parse(&id).expect("checked, or made by us");
    let mut transaction = tenants.write(&id).await?;
    let limits = Limits {
        requests_per_minute: entry.limits.requests_per_minute,
        credits_per_month: CreditAllowance(entry.limits.credits_per_month),
    };
    let name = entry.name.clone();
    organizations::store::create_organization(&mut transaction, &name, limits).await?;
    let none = Billing::default();
    if entry.billing != none {
        organizations::store::set_billing(&mut transaction, &none, &entry.billing).await?;
    }
    let template = template(std::mem::take(&mut entry.template));
    set_template(&mut transaction, &Template::default(), &template).await?;
    let keys = import_keys(
        &mut transaction,
        std::mem::take(&mut entry.keys),
        environment,
    )
    .await?;
    let rows = resolve::rows(entry);
    store::insert_rows(&mut transaction, &rows).await?;
    // The objects are written before the transaction commits: without it they are no assets, and a sweep removes them.
    for (payout_id, pdf) in &rows.uploaded_statements {
        let asset_id = Kind::Asset.mint();
        assets::store::insert_intent(&mut transaction, &asset_id).await?;
        let written = upload::write(storage, &id, asset_id, pdf.clone()).await;
        let written = written.map_err(UploadError::from)?;
        upload::finalize(&mut transaction, payout_id, &written).await?;
    }
    let imported = Imported {
        id,
        name,
        keys,
        partners: rows.partners.len(),
        payouts: rows.payouts.len(),
        commission_lines: rows.commission_lines.len(),
    };
    let entry = Entry {
        actor: OPERATOR,
        request_id: None,
        action: "import",
        resource_id: imported.id.as_str(),
        before: None,
        after: Some(json!({
            "partners": imported.partners,
            "payouts": imported.payouts,
            "commissionLines": imported.commission_lines,
        })),
    };
    history::record(&mut transaction, entry).await?;
    transaction.commit().await?;
    Ok(imported)
}

fn template(entry: TemplateEntry) -> Template {
    Template {
        title: entry.title,
        accent_colour: entry.accent_colour,
        footer: entry.footer,
        logo: entry.logo.map(|logo| logo.decode().expect("checked")),
    }
}

async fn import_keys(
    transaction: &mut TenantTransaction,
    entries: Vec<KeyEntry>,
    environment: Environment,
) -> Result<Vec<ImportedKey>, sqlx::Error> {
    let mut imported = Vec::new();
    for entry in entries {
        let scopes: Vec<String> = entry
            .scopes
            .iter()
            .map(|scope| scope.as_str().to_owned())
            .collect();
        let ended_at = entry
            .ended_at
            .as_ref()
            .and_then(super::scalars::Instant::parse);
        let life = match entry.state {
            KeyState::Active => Life::Days(entry.expires_in_days.unwrap_or(LONGEST_LIFE_DAYS)),
            KeyState::Expired => Life::Expired(ended_at),
            KeyState::Revoked => Life::Revoked(ended_at),
        };
        let key = ApiKey::generate(environment);
        let new = NewKey {
            name: &entry.name,
            scopes: &scopes,
            life,
        };
        keys::store::create_key(transaction, new, &key).await?;
        imported.push(ImportedKey {
            name: entry.name,
            state: entry.state,
            scopes,
            key,
        });
    }
    Ok(imported)
}

fn names(existing: &[store::Existing]) -> String {
    let names: Vec<String> = existing
        .iter()
        .map(|organization| format!("{:?} ({})", organization.name, organization.id))
        .collect();
    format!(
        "{} {}",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" }
    )
}

fn before(imported: &[String]) -> String {
    if imported.is_empty() {
        "; nothing was imported".to_owned()
    } else {
        format!("; imported before it: {}", imported.join(", "))
    }
}
