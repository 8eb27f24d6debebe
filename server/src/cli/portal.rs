//! `portal`: what publishes a partner's portal, who may enter it, and whose sessions end (X16).

use clap::{Args, Subcommand};
use openapi_runtime::reading::FromText as _;

use super::{database::DatabaseOptions, error::CliError, output, values};
use crate::{
    contract::types::VisitorEmail,
    id::OrganizationId,
    portal::operator::{Ending, OpenSession, PortalUser, store},
    postgres::{TenantTransaction, Tenants},
};

/// The portal: who may enter it, and who is in it
#[derive(Debug, Subcommand)]
pub(crate) enum PortalCommand {
    #[command(subcommand)]
    Templates(TemplatesCommand),
    #[command(subcommand)]
    Users(UsersCommand),
    #[command(subcommand)]
    Sessions(SessionsCommand),
}

/// The experience templates: a partner that gets one has a portal
#[derive(Debug, Subcommand)]
pub(crate) enum TemplatesCommand {
    /// Make a template; updatePartner gives it to a partner, as its experienceTemplateId
    Create(TemplateArguments),
    /// List all templates
    List(Organization),
}

#[derive(Args, Debug)]
pub(crate) struct TemplateArguments {
    #[command(flatten)]
    of: Organization,
    /// Name for people
    #[arg(value_parser = values::text, value_name = "NAME")]
    name: String,
}

/// The addresses that may enter a partner's portal
#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Let an address enter
    Add(UserArguments),
    /// Let an address enter no longer; its sessions end with the next page
    Remove(UserArguments),
    /// List who may enter; with portalAccess RESTRICTED_DOMAINS the partner's domain may, too
    List(ListArguments),
}

/// The links that can be opened, and the sessions that have begun
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List a partner's sessions
    List(PartnerArguments),
    /// End a partner's sessions at once, or only one visitor's, or one
    End(EndArguments),
}

#[derive(Args, Debug)]
pub(crate) struct Organization {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
}

#[derive(Args, Debug)]
pub(crate) struct PartnerArguments {
    #[command(flatten)]
    of: Organization,
    /// Id of the partner
    #[arg(long, value_name = "PARTNER_ID")]
    partner: String,
}

#[derive(Args, Debug)]
pub(crate) struct UserArguments {
    #[command(flatten)]
    of: PartnerArguments,
    /// The e-mail address; ASCII case does not matter
    #[arg(value_parser = email, value_name = "EMAIL")]
    email: String,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    of: Organization,
    /// Only of this partner
    #[arg(long, value_name = "PARTNER_ID")]
    partner: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct EndArguments {
    #[command(flatten)]
    of: PartnerArguments,
    /// Only those of this address
    #[arg(long, value_parser = email, value_name = "EMAIL")]
    email: Option<String>,
    /// Only this one
    #[arg(long, value_name = "SESSION_ID")]
    session: Option<String>,
}

fn email(value: &str) -> Result<String, String> {
    VisitorEmail::from_text(value).map(VisitorEmail::into_string).map_err(|(_, message)| message)
}

impl PortalCommand {
    fn organization(&self) -> &OrganizationId {
        let of = match self {
            Self::Templates(TemplatesCommand::Create(template)) => &template.of,
            Self::Templates(TemplatesCommand::List(of)) => of,
            Self::Users(UsersCommand::Add(user) | UsersCommand::Remove(user)) => &user.of.of,
            Self::Users(UsersCommand::List(list)) => &list.of,
            Self::Sessions(SessionsCommand::List(partner)) => &partner.of,
            Self::Sessions(SessionsCommand::End(end)) => &end.of.of,
        };
        &of.organization
    }
}

pub(crate) async fn run(options: &DatabaseOptions, command: PortalCommand) -> Result<(), CliError> {
    let database = options.open().await?;
    let pool = database.pool().await?;
    super::organizations::find(&pool, command.organization()).await?;
    let mut transaction = Tenants::from(&pool).write(command.organization()).await?;
    let message = match &command {
        PortalCommand::Templates(TemplatesCommand::Create(template)) => {
            store::create_template(&mut transaction, &template.name).await?
        }
        PortalCommand::Templates(TemplatesCommand::List(_)) => {
            let rows = store::list_templates(&mut transaction).await?;
            let rows: Vec<_> = rows.into_iter().map(|(id, name)| vec![id, name]).collect();
            output::table(&["template", "name"], &rows)
        }
        PortalCommand::Users(UsersCommand::Add(user)) => add(&mut transaction, user).await?,
        PortalCommand::Users(UsersCommand::Remove(user)) => remove(&mut transaction, user).await?,
        PortalCommand::Users(UsersCommand::List(list)) => {
            users(&store::list_users(&mut transaction, list.partner.as_deref()).await?)
        }
        PortalCommand::Sessions(SessionsCommand::List(partner)) => {
            find_partner(&mut transaction, &partner.partner).await?;
            sessions(&store::list_sessions(&mut transaction, &partner.partner).await?)
        }
        PortalCommand::Sessions(SessionsCommand::End(end)) => {
            end_sessions(&mut transaction, end).await?
        }
    };
    transaction.commit().await?;
    anstream::println!("{message}");
    database.close().await?;
    Ok(())
}

async fn add(
    transaction: &mut TenantTransaction,
    UserArguments { of, email }: &UserArguments,
) -> Result<String, CliError> {
    let (name, has_portal) = find_partner(transaction, &of.partner).await?;
    let mut message = match store::add_user(transaction, &of.partner, email).await? {
        true => format!("{email} may enter the portal of {name}"),
        false => format!("{email} may enter the portal of {name} already"),
    };
    if !has_portal {
        message.push_str("\nIt has none yet: PATCH the partner with an experienceTemplateId");
    }
    Ok(message)
}

async fn remove(
    transaction: &mut TenantTransaction,
    UserArguments { of, email }: &UserArguments,
) -> Result<String, CliError> {
    let (name, _) = find_partner(transaction, &of.partner).await?;
    if store::remove_user(transaction, &of.partner, email).await? {
        return Ok(format!("{email} may no longer enter the portal of {name}"));
    }
    let organization = transaction.organization();
    let partner = &of.partner;
    Err(CliError::message(format!(
        "{email} is no user of the portal of {name}: `payout-server portal users list \
         --organization {organization} --partner {partner}` shows them"
    )))
}

async fn end_sessions(
    transaction: &mut TenantTransaction,
    EndArguments { of, email, session }: &EndArguments,
) -> Result<String, CliError> {
    let (name, _) = find_partner(transaction, &of.partner).await?;
    let which = Ending { email: email.as_deref(), session_id: session.as_deref() };
    let ended = store::end_sessions(transaction, &of.partner, which).await?;
    Ok(match ended {
        0 => format!("no session of {name} was open"),
        1 => format!("1 session of {name} was ended"),
        _ => format!("{ended} sessions of {name} were ended"),
    })
}

/// Returns a partner's name, and whether it has a portal.
pub(super) async fn find_partner(
    transaction: &mut TenantTransaction,
    partner: &str,
) -> Result<(String, bool), CliError> {
    let found = store::find_partner(transaction, partner).await?;
    let organization = transaction.organization();
    found.ok_or_else(|| {
        CliError::message(format!(
            "{organization} has no partner {partner}: GET /api/v1/partners lists them"
        ))
    })
}

fn users(users: &[PortalUser]) -> String {
    let row = |user: &PortalUser| {
        let since = output::time(user.created_at);
        vec![user.partner_id.clone(), user.partner_name.clone(), user.email.clone(), since]
    };
    let rows: Vec<_> = users.iter().map(row).collect();
    output::table(&["partner", "name", "email", "since"], &rows)
}

fn sessions(sessions: &[OpenSession]) -> String {
    let row = |session: &OpenSession| {
        let opened = session.opened_at.map_or_else(|| "not opened".to_owned(), output::time);
        vec![session.id.clone(), session.email.clone(), opened, output::time(session.expires_at)]
    };
    let rows: Vec<_> = sessions.iter().map(row).collect();
    output::table(&["session", "email", "opened", "ends"], &rows)
}
