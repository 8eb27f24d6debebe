//! `organizations`: create, list, show, set-limits, credit, set-used, set-billing, set-template,
//! and the move to another cell. There is no command to remove one, because payments must stay
//! traceable.

use clap::{Args, Subcommand, value_parser};
use serde_json::json;

use super::{credits, database::DatabaseOptions, error::CliError, moves, output, template};
use crate::{
    id::OrganizationId,
    organizations::{
        Billing, CreditAllowance, Limits, MissingBilling, Organization,
        model::{DEFAULT_REQUESTS_PER_MINUTE, MAXIMUM_REQUESTS_PER_MINUTE},
        store,
    },
    postgres::Tenants,
    statements::template::store::get_template,
};

/// Organisations: the owners of the data, their limits and billing information
#[derive(Debug, Subcommand)]
pub(crate) enum OrganizationsCommand {
    /// Create an organisation, and print its id
    Create(CreateArguments),
    /// List organisations with their limits and what they have used
    List(ListArguments),
    /// Show one organisation: limits, use, and whether its billing information is complete
    Show(ShowArguments),
    /// Change limits; effective from the next request on, on every replica
    SetLimits(SetLimitsArguments),
    /// Give back credits that were used in the present month, such as those that the server's log
    /// calls not refunded
    Credit(credits::CreditArguments),
    /// Set the credits used in the present month, such as after a restore of the database to an
    /// earlier time
    SetUsed(credits::SetUsedArguments),
    /// Change billing information, which statements print; other parts stay
    SetBilling(Box<SetBillingArguments>),
    /// Change the template of statements: title, colour, footer, logo; other parts stay
    SetTemplate(template::SetTemplateArguments),
    /// Stop an organisation, and write its rows and PDFs into a folder, to move it to another cell
    ///
    /// Requests with its keys get a 503 and cost nothing, and its portals, redirects and syncs
    /// wait, until another cell has imported it and the proxy knows, or until `resume`. What was
    /// answered before is in the folder.
    Export(moves::ExportArguments),
    /// Import an organisation that another cell exported, and open it here
    ///
    /// Each row and each PDF is compared with the export. After an error nothing is imported; the
    /// command can be repeated. It needs DATABASE_OWNER_URL, as `migrate` does.
    Import(moves::ImportArguments),
    /// Close the copy of an organisation that another cell has imported
    Close(moves::CloseArguments),
    /// Open an organisation again that was stopped for an export, if no cell has imported it
    Resume(moves::ResumeArguments),
    /// Print which keys and affiliate links a proxy must send to this cell although they came from
    /// another one: the map `payout-moved.map` of haproxy
    Routes(moves::CellArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CreateArguments {
    /// Its name, 1 to 200 characters
    #[arg(long, value_parser = super::values::text)]
    name: String,
    /// Requests a minute, over all its keys; more get a 429
    #[arg(
        long,
        default_value_t = DEFAULT_REQUESTS_PER_MINUTE,
        value_parser = value_parser!(i32).range(1..=i64::from(MAXIMUM_REQUESTS_PER_MINUTE)),
        value_name = "REQUESTS"
    )]
    requests_per_minute: i32,
    /// Credits a month, 0 to 1000000000 or `unlimited`; without credits, requests get a 402
    #[arg(long, default_value_t = Limits::default().credits_per_month, value_name = "CREDITS")]
    credits_per_month: CreditAllowance,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// Only organisations that have used at least so many per cent of this month's credits
    #[arg(
        long,
        value_parser = value_parser!(i64).range(1..=100),
        value_name = "PERCENT"
    )]
    credits_used_percent: Option<i64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArguments {
    /// The organisation's id
    #[arg(value_parser = super::values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SetLimitsArguments {
    /// The organisation's id
    #[arg(value_parser = super::values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
    #[command(flatten)]
    change: LimitFlags,
}

/// Both limits, of which at least one is named.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct LimitFlags {
    /// Requests a minute, over all its keys
    #[arg(
        long,
        value_parser = value_parser!(i32).range(1..=i64::from(MAXIMUM_REQUESTS_PER_MINUTE)),
        value_name = "REQUESTS"
    )]
    requests_per_minute: Option<i32>,
    /// Credits a month, 0 to 1000000000 or `unlimited`
    #[arg(long, value_name = "CREDITS")]
    credits_per_month: Option<CreditAllowance>,
}

#[derive(Args, Debug)]
pub(crate) struct SetBillingArguments {
    /// The organisation's id
    #[arg(value_parser = super::values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
    #[command(flatten)]
    change: Billing,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: OrganizationsCommand,
) -> Result<(), CliError> {
    let database = options.open().await?;
    let pool = database.pool().await?;
    let tenants = Tenants::from(&pool);
    match command {
        OrganizationsCommand::Create(arguments) => create(tenants, arguments).await?,
        OrganizationsCommand::List(arguments) => list(&pool, arguments).await?,
        OrganizationsCommand::Show(arguments) => show(&pool, arguments).await?,
        OrganizationsCommand::SetLimits(arguments) => set_limits(tenants, arguments).await?,
        OrganizationsCommand::SetUsed(arguments) => credits::set_used(tenants, arguments).await?,
        OrganizationsCommand::Credit(arguments) => credits::credit(tenants, arguments).await?,
        OrganizationsCommand::SetBilling(arguments) => set_billing(pool, *arguments).await?,
        OrganizationsCommand::SetTemplate(arguments) => template::run(tenants, arguments).await?,
        OrganizationsCommand::Export(arguments) => {
            moves::export(options, &database, &tenants, &arguments).await?;
        }
        OrganizationsCommand::Import(arguments) => {
            moves::import(options, &database, &arguments).await?;
        }
        OrganizationsCommand::Close(arguments) => moves::close(&tenants, &arguments).await?,
        OrganizationsCommand::Resume(arguments) => moves::resume(&tenants, &arguments).await?,
        OrganizationsCommand::Routes(arguments) => moves::routes(&pool, &arguments).await?,
    }
    database.close().await
}

/// Returns the organisation with this id, or an error that says that there is none.
pub(crate) async fn find(
    pool: &sqlx::PgPool,
    id: &OrganizationId,
) -> Result<Organization, CliError> {
    let found = store::list_organizations(&mut *pool.acquire().await?, Some(id), None).await?;
    found.into_iter().next().ok_or_else(|| CliError::no_organization(id.as_str()))
}

pub(crate) async fn list_ids(pool: &sqlx::PgPool) -> Result<Vec<OrganizationId>, CliError> {
    let all = store::list_organizations(&mut *pool.acquire().await?, None, None).await?;
    Ok(all.iter().filter_map(|organization| OrganizationId::parse(&organization.id)).collect())
}

/// Lists the organisations whose rows may change: none that moves to another cell, or has moved.
pub(crate) async fn list_open_ids(pool: &sqlx::PgPool) -> Result<Vec<OrganizationId>, CliError> {
    let all = store::list_organizations(&mut *pool.acquire().await?, None, None).await?;
    let open = all.iter().filter(|organization| organization.stopped_at.is_none());
    Ok(open.filter_map(|organization| OrganizationId::parse(&organization.id)).collect())
}

async fn create(tenants: Tenants, arguments: CreateArguments) -> Result<(), CliError> {
    let id = OrganizationId::generate();
    let limits = Limits {
        requests_per_minute: arguments.requests_per_minute,
        credits_per_month: arguments.credits_per_month,
    };
    let mut transaction = tenants.write(&id).await?;
    store::create_organization(&mut transaction, &arguments.name, limits).await?;
    transaction.commit().await?;
    anstream::println!("{id}");
    anstream::eprintln!(
        "Next: payout-server keys create --organization {id} --name NAME --all-scopes"
    );
    Ok(())
}

async fn list(pool: &sqlx::PgPool, arguments: ListArguments) -> Result<(), CliError> {
    let percent = arguments.credits_used_percent;
    let organizations =
        store::list_organizations(&mut *pool.acquire().await?, None, percent).await?;
    if arguments.json {
        anstream::println!("{}", output::json(&organizations));
        return Ok(());
    }
    let row = |organization: &Organization| {
        let credits = CreditAllowance(organization.credits_per_month);
        vec![
            organization.id.clone(),
            organization.name.clone(),
            organization.requests_per_minute.to_string(),
            credits.to_string(),
            organization.credits_this_month.to_string(),
            organization.valid_keys.to_string(),
            match (&organization.stopped_at, &organization.moved_to) {
                (_, Some(cell)) => format!("moved to {cell}"),
                (Some(_), None) => "stopped".to_owned(),
                (None, None) => "open".to_owned(),
            },
        ]
    };
    let heads = ["id", "name", "requests/minute", "credits/month", "used", "valid keys", "state"];
    let rows: Vec<_> = organizations.iter().map(row).collect();
    anstream::println!("{}", output::table(&heads, &rows));
    Ok(())
}

async fn show(pool: &sqlx::PgPool, arguments: ShowArguments) -> Result<(), CliError> {
    let id = &arguments.id;
    let organization = find(pool, id).await?;
    let mut transaction = Tenants::from(pool).read(id).await?;
    let billing = store::get_billing(&mut transaction).await?;
    let missing = MissingBilling::flags(&billing.missing());
    let template = get_template(&mut transaction).await?.to_json();
    if arguments.json {
        let shown = json!({
            "organization": organization,
            "billing": billing.to_json(),
            "billingMissing": missing,
            "template": template,
        });
        anstream::println!("{}", output::json(&shown));
        return Ok(());
    }
    let credits = CreditAllowance(organization.credits_per_month);
    anstream::println!("id                {}", organization.id);
    anstream::println!("name              {}", organization.name);
    anstream::println!("created           {}", output::time(organization.created_at));
    anstream::println!(
        "requests/minute   {} of {} used in this minute",
        organization.requests_this_minute,
        organization.requests_per_minute
    );
    anstream::println!(
        "credits/month     {} of {credits} spent in this month",
        organization.credits_this_month
    );
    anstream::println!("valid keys        {}", organization.valid_keys);
    anstream::println!("template          {}", template::summary(&template));
    if let Some(stopped_at) = organization.stopped_at {
        let since = output::time(stopped_at);
        match organization.moved_to {
            Some(cell) => anstream::println!("moved             to the cell {cell}, since {since}"),
            None => anstream::println!(
                "stopped           since {since}; to open it again: payout-server organizations \
                 resume {id}"
            ),
        }
    }
    if missing.is_empty() {
        anstream::println!("billing           complete");
    } else {
        anstream::println!(
            "billing           incomplete, so no statement can be generated; missing: {}",
            missing.join(", ")
        );
        anstream::println!(
            "                  to fix it: payout-server organizations set-billing {id} {} …",
            missing[0]
        );
    }
    Ok(())
}

async fn set_limits(tenants: Tenants, arguments: SetLimitsArguments) -> Result<(), CliError> {
    let id = &arguments.id;
    let mut transaction = tenants.write(id).await?;
    let (requests, credits) =
        (arguments.change.requests_per_minute, arguments.change.credits_per_month);
    let limits = store::set_limits(&mut transaction, requests, credits).await?;
    let limits = limits.ok_or_else(|| CliError::no_organization(id.as_str()))?;
    transaction.commit().await?;
    anstream::println!(
        "{id}: {} requests a minute, {} credits a month",
        limits.requests_per_minute,
        limits.credits_per_month
    );
    Ok(())
}

async fn set_billing(pool: sqlx::PgPool, arguments: SetBillingArguments) -> Result<(), CliError> {
    let id = &arguments.id;
    find(&pool, id).await?;
    let mut transaction = Tenants::from(&pool).write(id).await?;
    let before = store::lock_billing(&mut transaction).await?;
    let after = before.changed_by(&arguments.change);
    store::set_billing(&mut transaction, &before, &after).await?;
    transaction.commit().await?;
    match MissingBilling::flags(&after.missing()).as_slice() {
        [] => anstream::println!("{id}: billing information is complete"),
        missing => {
            anstream::println!("{id}: billing information is still missing {}", missing.join(", "))
        }
    }
    Ok(())
}
