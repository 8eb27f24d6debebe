//! Imports a checked file: one transaction for each organisation, which makes its keys as well.

use payout_server::tools::{
    ApiKey, AssetId, AssetKey, Billing, CreditAllowance, Entry, Environment, Kind,
    LONGEST_LIFE_DAYS, Life, Limits, NewKey, OPERATOR, OrganizationId, Storage, Template,
    TenantTransaction, Tenants, Written, create_key, create_organization, history, set_billing,
    set_template, uploads,
};
use serde_json::json;

use super::{
    format::{Dataset, KeyEntry, KeyState, OrganizationEntry, TemplateEntry},
    rows::{self, Rows},
    store,
};
use crate::Error;

/// An imported organisation.
#[derive(Debug)]
pub struct Imported {
    pub id: OrganizationId,
    pub name: String,
    /// Its keys: the only place where their secrets are.
    pub keys: Vec<ImportedKey>,
    pub partners: usize,
    pub payouts: usize,
    pub commission_lines: usize,
}

/// A key with its secret.
#[derive(Debug)]
pub struct ImportedKey {
    pub name: String,
    pub state: KeyState,
    pub scopes: Vec<String>,
    pub key: ApiKey,
}

/// Why a valid file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Organisations of the file exist.
    #[error("nothing was imported: the database already contains {}", names(.0))]
    Exists(Vec<store::Existing>),
    /// An organisation failed; those before it are complete, and nothing of this one is left.
    #[error("{organization:?} was not imported{}: {source}", before(.imported))]
    Failed {
        /// The organisation that failed.
        organization: String,
        /// Those imported before it.
        imported: Vec<String>,
        /// What the database or the storage reported.
        source: Error,
    },
    /// The database failed before the first organisation.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Imports a checked file.
///
/// # Errors
/// An organisation of the file exists, or the database or the storage failed.
pub async fn import(
    pool: &sqlx::PgPool,
    storage: &Storage,
    dataset: Dataset,
    environment: Environment,
) -> Result<Vec<Imported>, ImportError> {
    let entries = &dataset.organizations;
    let ids: Vec<_> = entries.iter().filter_map(|entry| entry.id.clone()).collect();
    let names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
    let mut connection = pool.acquire().await?;
    let existing = store::existing_organizations(&mut connection, &ids, &names).await?;
    drop(connection);
    if !existing.is_empty() {
        return Err(ImportError::Exists(existing));
    }
    let tenants = Tenants::from(pool);
    let mut imported: Vec<Imported> = Vec::new();
    for entry in dataset.organizations {
        let organization = entry.name.clone();
        match import_organization(&tenants, storage, entry, environment).await {
            Ok(organization) => imported.push(organization),
            Err(source) => {
                let imported = imported.into_iter().map(|before| before.name).collect();
                return Err(ImportError::Failed { organization, imported, source });
            }
        }
    }
    Ok(imported)
}

/// Writes the objects first: a transaction that waited for the storage would be ended by the
/// database. Where the transaction fails, the objects are removed.
async fn import_organization(
    tenants: &Tenants,
    storage: &Storage,
    mut entry: OrganizationEntry,
    environment: Environment,
) -> Result<Imported, Error> {
    let id = entry.id.take().unwrap_or_else(|| Kind::Organization.generate());
    let id = OrganizationId::parse(&id).expect("checked, or generated");
    let settings = Settings::take(&mut entry);
    let rows = rows::rows(entry);
    let mut asset_ids = Vec::new();
    let imported = async {
        let mut objects = Vec::new();
        for (payout_id, pdf) in &rows.uploaded_statements {
            let asset_id = AssetId::generate();
            asset_ids.push(asset_id.clone());
            let written = uploads::write(storage, &id, asset_id.clone(), pdf.clone());
            objects.push((payout_id, asset_id, written.await?));
        }
        write_rows(tenants, &id, settings, &rows, &objects, environment).await
    }
    .await;
    if imported.is_err() {
        for asset_id in &asset_ids {
            let key = AssetKey::new(&id, asset_id);
            // The first error is the one to report.
            let _ = storage.delete(&key).await;
        }
    }
    imported
}

/// What an organisation has apart from rows.
struct Settings {
    name: String,
    limits: Limits,
    billing: Billing,
    template: Template,
    keys: Vec<KeyEntry>,
}

impl Settings {
    fn take(entry: &mut OrganizationEntry) -> Self {
        Self {
            name: entry.name.clone(),
            limits: Limits {
                requests_per_minute: entry.limits.requests_per_minute,
                credits_per_month: CreditAllowance(entry.limits.credits_per_month),
            },
            billing: std::mem::take(&mut entry.billing).into(),
            template: template(std::mem::take(&mut entry.template)),
            keys: std::mem::take(&mut entry.keys),
        }
    }
}

async fn write_rows(
    tenants: &Tenants,
    id: &OrganizationId,
    settings: Settings,
    rows: &Rows,
    objects: &[(&String, AssetId, Written)],
    environment: Environment,
) -> Result<Imported, Error> {
    let mut transaction = tenants.write(id).await?;
    create_organization(&mut transaction, &settings.name, settings.limits).await?;
    let none = Billing::default();
    if settings.billing != none {
        set_billing(&mut transaction, &none, &settings.billing).await?;
    }
    set_template(&mut transaction, &Template::default(), &settings.template).await?;
    let keys = import_keys(&mut transaction, settings.keys, environment).await?;
    for (table, rows) in &rows.tables {
        store::insert_rows(&mut transaction, table, rows).await?;
    }
    for (payout_id, asset_id, written) in objects {
        uploads::insert_intent(&mut transaction, asset_id).await?;
        uploads::finalize(&mut transaction, payout_id, written).await?;
    }
    let count = |wanted: &str| {
        let mut tables = rows.tables.iter();
        let found = tables.find(|(table, _)| *table == wanted);
        found.map_or(0, |(_, rows)| rows.len())
    };
    let imported = Imported {
        id: id.clone(),
        name: settings.name,
        keys,
        partners: count("partners"),
        payouts: count("payouts"),
        commission_lines: count("commission_lines"),
    };
    let entry = Entry {
        actor: OPERATOR,
        request_id: None,
        action: "import",
        resource_id: id.as_str(),
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
        let scopes: Vec<String> = entry.scopes.into_iter().map(|scope| scope.0).collect();
        let ended_at = entry.ended_at.as_ref().and_then(|instant| instant.parse());
        let life = match entry.state {
            KeyState::Active => Life::Days(entry.expires_in_days.unwrap_or(LONGEST_LIFE_DAYS)),
            KeyState::Expired => Life::Expired(ended_at),
            KeyState::Revoked => Life::Revoked(ended_at),
        };
        let key = ApiKey::generate(environment);
        let new = NewKey { name: &entry.name, scopes: &scopes, life };
        create_key(transaction, new, &key).await?;
        imported.push(ImportedKey { name: entry.name, state: entry.state, scopes, key });
    }
    Ok(imported)
}

fn names(existing: &[store::Existing]) -> String {
    let names = existing.iter().map(|found| format!("{:?} ({})", found.name, found.id));
    names.collect::<Vec<_>>().join(", ")
}

fn before(imported: &[String]) -> String {
    match imported {
        [] => "; nothing was imported".to_owned(),
        imported => format!("; imported before it: {}", imported.join(", ")),
    }
}
