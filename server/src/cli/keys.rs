//! `keys`: create, list, revoke. Only `create` prints a key, and only once: it is stored as a hash.

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand, value_parser};
use serde_json::json;

use super::{database::DatabaseOptions, error::CliError, organizations, output, values};
use crate::{
    assembly::StartError,
    contract::types::Scope,
    gate::{ApiKey, Cell, Environment, KeyPrefix},
    id::OrganizationId,
    keys::{
        NewKey, StoredKey,
        model::{LONGEST_LIFE_DAYS, Lifetime},
        records::{record, revoke_recorded},
        store::{self, KeyFilter},
    },
    postgres::Tenants,
    statements::storage::{AssetOptions, Storage},
};

/// API keys: create one, list them, revoke one
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Create a key and print it; it is never shown again
    Create(CreateArguments),
    /// List keys, without their secrets
    List(ListArguments),
    /// Revoke a key; effective from the next request on, on every replica
    ///
    /// A record of it is stored beside the PDFs, so --assets is that of the servers. With it, a
    /// server revokes the key again at its start where a restore of the database to an earlier time
    /// has revived it.
    Revoke(RevokeArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CreateArguments {
    /// Id of the organisation whose data the key gives access to
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Its name, 1 to 200 characters
    #[arg(long, value_parser = values::text)]
    name: String,
    /// One or more of partners:read, partners:write, commissions:read, commissions:write,
    /// affiliate:write, portal-sessions:write
    #[arg(
        long = "scope",
        value_parser = values::scope,
        value_delimiter = ',',
        required_unless_present = "all_scopes",
        value_name = "SCOPE"
    )]
    scopes: Vec<Scope>,
    /// All scopes
    #[arg(long, conflicts_with = "scopes")]
    all_scopes: bool,
    /// Its lifetime
    #[arg(
        long,
        default_value_t = LONGEST_LIFE_DAYS,
        value_parser = value_parser!(i32).range(1..=i64::from(LONGEST_LIFE_DAYS)),
        value_name = "DAYS"
    )]
    expires_in_days: i32,
    /// Environment of the servers that accept it: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    environment: Environment,
    /// Cell of the organisation, where there is more than one database: two characters, which a
    /// proxy reads in the key (pcp_live_aa…)
    #[arg(long, env = "PAYOUT_CELL")]
    cell: Option<Cell>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// Only the keys of this organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: Option<OrganizationId>,
    /// Only keys that were revoked at this time or later, such as 2026-05-31T12:00:00Z
    #[arg(long, value_parser = values::instant, value_name = "TIME")]
    revoked_since: Option<DateTime<Utc>>,
    /// Only valid keys that expire within so many days
    #[arg(
        long,
        conflicts_with = "revoked_since",
        value_parser = value_parser!(i32).range(1..=i64::from(LONGEST_LIFE_DAYS)),
        value_name = "DAYS"
    )]
    expiring_in_days: Option<i32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RevokeArguments {
    /// The key's id, which `keys list` shows; not the key itself
    #[arg(value_name = "KEY_ID", required_unless_present = "recorded")]
    id: Option<String>,
    /// Revoke all keys again that have a record beside the PDFs, as `serve` does at its start
    #[arg(long, conflicts_with = "id")]
    recorded: bool,
    #[command(flatten)]
    assets: AssetOptions,
}

pub(crate) async fn run(options: &DatabaseOptions, command: KeysCommand) -> Result<(), CliError> {
    if let KeysCommand::Create(CreateArguments { environment: Environment::Live, .. }) = command {
        options.require_url("--environment live")?;
    }
    let database = options.open().await?;
    let pool = database.pool().await?;
    match command {
        KeysCommand::Create(arguments) => create(&pool, arguments).await?,
        KeysCommand::List(arguments) => list(&pool, arguments).await?,
        KeysCommand::Revoke(arguments) => {
            let storage = async || options.storage_of(&database, &arguments.assets, false).await;
            match &arguments.id {
                Some(id) => revoke(&pool, id, storage).await?,
                None => revoke_again(&pool, &storage().await?).await?,
            }
        }
    }
    database.close().await
}

async fn create(pool: &sqlx::PgPool, arguments: CreateArguments) -> Result<(), CliError> {
    let organization = &arguments.organization;
    organizations::find(pool, organization).await?;
    let scopes = if arguments.all_scopes { Scope::ALL } else { &arguments.scopes };
    let mut scopes: Vec<String> = scopes.iter().map(|scope| scope.as_str().to_owned()).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let CreateArguments { environment, cell, .. } = arguments;
    let key = ApiKey::generate(KeyPrefix { environment, cell });
    let life = Lifetime::Days(arguments.expires_in_days);
    let new = NewKey { name: &arguments.name, scopes: &scopes, life };
    let mut transaction = Tenants::from(pool).write(organization).await?;
    let (id, expires_at) = store::create_key(&mut transaction, new, &key).await?;
    transaction.commit().await?;
    let expires_at = output::time(expires_at);
    if arguments.json {
        let shown =
            json!({ "id": id, "key": key.reveal(), "scopes": scopes, "expiresAt": expires_at });
        anstream::println!("{}", output::json(&shown));
    } else {
        // Standard output has only the key: KEY=$(payout-server keys create …).
        anstream::println!("{}", key.reveal());
        anstream::eprintln!(
            "Key {id} is valid until {expires_at}. It is not shown again: store it now."
        );
    }
    Ok(())
}

async fn list(pool: &sqlx::PgPool, arguments: ListArguments) -> Result<(), CliError> {
    let filter = KeyFilter {
        organization: arguments.organization.as_ref(),
        revoked_since: arguments.revoked_since,
        expiring_in_days: arguments.expiring_in_days,
    };
    let keys = store::list_keys(&mut *pool.acquire().await?, filter).await?;
    if arguments.json {
        let with_state = |key: &StoredKey| {
            let mut shown = json!(key);
            shown["state"] = key.state().as_str().into();
            shown
        };
        anstream::println!("{}", output::json(&keys.iter().map(with_state).collect::<Vec<_>>()));
        return Ok(());
    }
    let row = |key: &StoredKey| {
        let ended_at = key.revoked_at.unwrap_or(key.expires_at);
        vec![
            key.organization_id.clone(),
            key.id.clone(),
            key.name.clone(),
            format!("…{}", key.last_four),
            key.state().as_str().to_owned(),
            output::time(ended_at),
            key.api_version.clone(),
            key.scopes.join(" "),
        ]
    };
    let heads =
        ["organisation", "id", "name", "ends in", "state", "until / since", "version", "scopes"];
    anstream::println!("{}", output::table(&heads, &keys.iter().map(row).collect::<Vec<_>>()));
    Ok(())
}

/// The key is revoked, whether a record can be stored or not.
async fn revoke(
    pool: &sqlx::PgPool,
    id: &str,
    storage: impl AsyncFnOnce() -> Result<Storage, CliError>,
) -> Result<(), CliError> {
    let no_key = || {
        let hint =
            if id.starts_with("pcp_") { " (that is a key, which is stored nowhere)" } else { "" };
        // The text might be a key, and messages go to logs.
        let shown = if hint.is_empty() { id } else { "pcp_…" };
        CliError::message(format!(
            "there is no key with the id {shown}{hint}: \
             `payout-server keys list` shows all ids"
        ))
    };
    let organization = store::find_organization(&mut *pool.acquire().await?, id).await?;
    let organization = organization.ok_or_else(no_key)?;
    let mut transaction = Tenants::from(pool).write(&organization).await?;
    let revocation = store::revoke_key(&mut transaction, "revoke_key", id).await?;
    let revocation = revocation.ok_or_else(no_key)?;
    transaction.commit().await?;
    let since = output::time(revocation.revoked_at);
    let recorded = async {
        let record = record(&storage().await?, &organization, id, revocation.revoked_at).await;
        record.map_err(|error| CliError::message(error.to_string()))
    };
    recorded.await.map_err(|error| {
        CliError::message(format!(
            "{id} is revoked since {since}, but no record of that is stored, and a restore of the \
             database to an earlier time would revive the key: {error}\n\
             Then repeat: payout-server keys revoke {id}"
        ))
    })?;
    if revocation.was_revoked {
        anstream::println!("{id} was revoked before, at {since}");
    } else {
        anstream::println!("{id} is revoked since {since}");
    }
    Ok(())
}

async fn revoke_again(pool: &sqlx::PgPool, storage: &Storage) -> Result<(), CliError> {
    let mut connection = pool.acquire().await?;
    let revoked = revoke_recorded(&mut connection, &Tenants::from(pool), storage).await;
    let revoked = revoked.map_err(StartError::Records)?;
    for id in &revoked {
        anstream::println!("{id} is revoked again");
    }
    anstream::println!("{} recorded keys were not revoked, and are now", revoked.len());
    Ok(())
}
