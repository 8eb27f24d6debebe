//! `crm`: the connections of organisations to their CRMs (X21). A token comes from a file or
//! standard input, because a process list shows flags to everyone, and is never printed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use sqlx::PgPool;

use super::{
    database::{DatabaseOptions, read_text},
    error::CliError,
    output,
};
use crate::{
    crm::{
        hubspot::{ObjectRequest, ReadError, ReadObject as _},
        operator::{Connection, Settings, store},
        options::ConnectionOptions,
        token::{Purpose, SealedToken, Token},
    },
    id::{IdKind, OrganizationId},
    keyring::Keyring,
    postgres::{TenantTransaction, Tenants},
};

const PROPERTIES_LIMIT: usize = 100;
const NAME_LENGTH_LIMIT: usize = 100;

/// The CRM of an organisation, which partners are synchronised with
#[derive(Debug, Subcommand)]
pub(crate) enum CrmCommand {
    /// Connect an organisation to its CRM, or change its connection
    ///
    /// The CRM has HubSpot's API of objects, version 3. Its token is read from standard input.
    Connect(Box<ConnectArguments>),
    /// Show the connection, without its token
    Show(Organization),
    /// End the connection, and forget its token; queued syncs fail
    Disconnect(Organization),
    /// Read an object from the CRM, as a sync would, and change nothing
    Test(TestArguments),
    /// Seal every token with the first key of --crm-keys, before an old key is removed
    Reseal(ConnectionOptions),
}

#[derive(Args, Debug)]
pub(crate) struct Organization {
    /// Id of the organisation
    #[arg(long, value_parser = super::values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
}

#[derive(Args, Debug)]
pub(crate) struct ConnectArguments {
    #[command(flatten)]
    of: Organization,
    /// Address of the CRM's API, such as https://api.hubapi.com
    #[arg(long, value_name = "URL")]
    url: String,
    /// The CRM's type of objects that are partners
    #[arg(long, value_parser = name, value_name = "TYPE")]
    partner_type: String,
    /// Their properties that a partner gets
    #[arg(long, value_parser = name, value_delimiter = ',', required = true,
          value_name = "PROPERTY,…")]
    partner_properties: Vec<String>,
    /// The CRM's type of objects that are companies
    #[arg(long, value_parser = name, default_value = "companies", value_name = "TYPE")]
    company_type: String,
    /// Their properties that a company's partners get
    #[arg(long, value_parser = name, value_delimiter = ',', required = true,
          value_name = "PROPERTY,…")]
    company_properties: Vec<String>,
    /// File with the token; `-` is standard input
    #[arg(long, default_value = "-", value_name = "FILE")]
    token_file: PathBuf,
    #[command(flatten)]
    connection: ConnectionOptions,
}

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    #[command(flatten)]
    of: Organization,
    /// Kind of object
    #[arg(value_enum, value_name = "KIND")]
    kind: ObjectKind,
    /// Its id in the CRM
    #[arg(value_name = "OBJECT_ID")]
    id: String,
    #[command(flatten)]
    connection: ConnectionOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ObjectKind {
    Partner,
    Company,
}

/// The name of a type or a property.
fn name(value: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let has_letters = value.bytes().any(|byte| byte != b'.');
    if has_letters && value.len() <= NAME_LENGTH_LIMIT && value.bytes().all(is_plain) {
        return Ok(value.to_owned());
    }
    Err(format!("must have 1 to {NAME_LENGTH_LIMIT} letters, digits, and `_`, `-` or `.`"))
}

pub(crate) async fn run(options: &DatabaseOptions, command: CrmCommand) -> Result<(), CliError> {
    let database = options.open().await?;
    let pool = database.pool().await?;
    let tenants = Tenants::from(&pool);
    let keys = |connection: &ConnectionOptions| -> Result<Keyring, CliError> {
        Ok(connection.keys(&options.folder()?)?)
    };
    let message = match &command {
        CrmCommand::Connect(arguments) => {
            let keys = keys(&arguments.connection)?;
            let mut transaction = write(&pool, &tenants, &arguments.of).await?;
            let message = connect(&mut transaction, &keys, arguments).await?;
            transaction.commit().await?;
            message
        }
        CrmCommand::Show(of) => {
            let mut transaction = write(&pool, &tenants, of).await?;
            show(&find(&mut transaction).await?)
        }
        CrmCommand::Disconnect(of) => {
            let mut transaction = write(&pool, &tenants, of).await?;
            let id = store::disconnect(&mut transaction).await?;
            let id = id.ok_or_else(|| not_connected(&of.organization))?;
            transaction.commit().await?;
            format!("{id} was ended, and its token is gone. Revoke it in the CRM too")
        }
        CrmCommand::Test(arguments) => {
            let keys = keys(&arguments.connection)?;
            let mut transaction = write(&pool, &tenants, &arguments.of).await?;
            let connection = find(&mut transaction).await?;
            drop(transaction);
            test(&keys, &connection, arguments).await?
        }
        CrmCommand::Reseal(connection) => reseal(&pool, &tenants, &keys(connection)?).await?,
    };
    anstream::println!("{message}");
    database.close().await?;
    Ok(())
}

async fn write(
    pool: &PgPool,
    tenants: &Tenants,
    of: &Organization,
) -> Result<TenantTransaction, CliError> {
    super::organizations::find(pool, &of.organization).await?;
    Ok(tenants.write(&of.organization).await?)
}

async fn connect(
    transaction: &mut TenantTransaction,
    keys: &Keyring,
    arguments: &ConnectArguments,
) -> Result<String, CliError> {
    let url = arguments.connection.allowed().base_url(&arguments.url);
    let url =
        url.map_err(|error| CliError::message(format!("--url {}: {error}", arguments.url)))?;
    for properties in [&arguments.partner_properties, &arguments.company_properties] {
        if properties.len() > PROPERTIES_LIMIT {
            let message = format!("at most {PROPERTIES_LIMIT} properties of a type can be read");
            return Err(CliError::message(message));
        }
    }
    let token = Token::parse(&read_text(&arguments.token_file)?).map_err(CliError::message)?;
    let settings = Settings {
        base_url: url.to_string(),
        partner_type: arguments.partner_type.clone(),
        company_type: arguments.company_type.clone(),
        partner_properties: arguments.partner_properties.clone(),
        company_properties: arguments.company_properties.clone(),
    };
    let id = IdKind::CrmConnection.generate();
    let organization = transaction.organization();
    let purpose = Purpose { organization: &organization, connection: &id };
    let sealed = SealedToken::seal(keys, purpose, &token);
    store::connect(transaction, &id, &settings, &sealed).await?;
    Ok(format!(
        "{id} connects {organization} to {url}. To try it:\n  payout-server crm test \
         --organization {organization} partner OBJECT_ID"
    ))
}

async fn find(transaction: &mut TenantTransaction) -> Result<Connection, CliError> {
    let organization = transaction.organization();
    let found = store::find_connection(transaction).await?;
    found.ok_or_else(|| not_connected(&organization))
}

fn not_connected(organization: &OrganizationId) -> CliError {
    CliError::message(format!(
        "{organization} has no CRM connection: `payout-server crm connect` makes one"
    ))
}

fn show(connection: &Connection) -> String {
    let Connection { id, settings, token, connected_at, open_syncs } = connection;
    let Settings { base_url, partner_type, company_type, .. } = settings;
    let rows = [
        ("connection", id.clone()),
        ("url", base_url.clone()),
        ("partners", format!("{partner_type}: {}", settings.partner_properties.join(", "))),
        ("companies", format!("{company_type}: {}", settings.company_properties.join(", "))),
        ("token", format!("sealed with the key {}", token.key)),
        ("since", output::time(*connected_at)),
        ("open syncs", open_syncs.to_string()),
    ];
    let rows: Vec<_> = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    output::table(&["what", "value"], &rows)
}

async fn test(
    keys: &Keyring,
    connection: &Connection,
    TestArguments { of, kind, id, connection: options }: &TestArguments,
) -> Result<String, CliError> {
    let purpose = Purpose { organization: &of.organization, connection: &connection.id };
    let token = connection.token.open(keys, purpose).ok_or_else(|| no_key(connection))?;
    let Settings { base_url, partner_type, company_type, .. } = &connection.settings;
    let (object_type, properties) = match kind {
        ObjectKind::Partner => (partner_type, &connection.settings.partner_properties),
        ObjectKind::Company => (company_type, &connection.settings.company_properties),
    };
    let client = options.client();
    let client = client.map_err(|error| CliError::message(error.to_string()))?;
    let object = ObjectRequest { base_url, object_type, object_id: id, properties, token: &token };
    let read = client.read(object).await.map_err(|error| {
        CliError::message(match error {
            ReadError::NotFound => format!("the CRM has no object {id} of the type {object_type}"),
            ReadError::Unauthorized => format!(
                "the CRM does not accept the token, or the token may not read {object_type}. \
                 Connect again with another one: `payout-server crm connect`"
            ),
            ReadError::RateLimited(None) => "the CRM allows no request now".to_owned(),
            ReadError::RateLimited(Some(seconds)) => {
                format!("the CRM allows no request for {seconds} s")
            }
            ReadError::Unavailable(message) | ReadError::Unusable(message) => message.to_owned(),
        })
    })?;
    let row = |name: &String| {
        let value = read.get(name).map_or_else(|| "(none)".to_owned(), ToString::to_string);
        vec![name.clone(), value]
    };
    let rows: Vec<_> = properties.iter().map(row).collect();
    Ok(output::table(&["property", "value"], &rows))
}

fn no_key(connection: &Connection) -> CliError {
    CliError::message(format!(
        "no key of --crm-keys opens the token of {}, which {} sealed. Name the file that the \
         servers use, or connect again",
        connection.id, connection.token.key
    ))
}

async fn reseal(pool: &PgPool, tenants: &Tenants, keys: &Keyring) -> Result<String, CliError> {
    let (mut resealed, mut lost) = (0, Vec::new());
    for organization in super::organizations::list_open_ids(pool).await? {
        let mut transaction = tenants.write(&organization).await?;
        let Some(connection) = store::find_connection(&mut transaction).await? else { continue };
        if connection.token.key == keys.newest() {
            continue;
        }
        let purpose = Purpose { organization: &organization, connection: &connection.id };
        let Some(token) = connection.token.open(keys, purpose) else {
            lost.push(no_key(&connection).to_string());
            continue;
        };
        let sealed = SealedToken::seal(keys, purpose, &token);
        store::reseal(&mut transaction, &connection, &sealed).await?;
        transaction.commit().await?;
        resealed += 1;
    }
    if !lost.is_empty() {
        let lost = lost.join("\nerror: ");
        return Err(CliError::message(format!("{lost}\n{resealed} tokens were sealed")));
    }
    Ok(match resealed {
        0 => format!("every token is sealed with the key {} already", keys.newest()),
        1 => format!("1 token is sealed with the key {} now", keys.newest()),
        _ => format!("{resealed} tokens are sealed with the key {} now", keys.newest()),
    })
}
