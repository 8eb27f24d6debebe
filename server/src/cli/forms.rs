//! `forms`: make, change and publish forms; accept or decline what was submitted (X15).

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{database::DatabaseOptions, error::CliError, output, values};
use crate::{
    contract::value_sets::FormSubmissionStatus,
    forms::{
        definition::Definition,
        operator::{NewestVersion, Outcome, store},
    },
    id::OrganizationId,
    postgres::{TenantTransaction, Tenants},
};

/// Forms: make, change and publish them; accept or decline submissions
#[derive(Debug, Subcommand)]
pub(crate) enum FormsCommand {
    /// Make a form from a file, or a new version of one; `publish` shows it to the API
    Create(CreateArguments),
    /// Publish a form's newest version
    Publish(FormArguments),
    /// Take a form back: the API has it no longer, and its submissions stay
    Unpublish(FormArguments),
    /// List all forms
    List(ListArguments),
    /// Show a form's newest version, as its file has it
    Show(FormArguments),
    /// Accept a submission that waits for a review
    Accept(SubmissionArguments),
    /// Decline a submission that waits for a review
    Decline(SubmissionArguments),
}

#[derive(Args, Debug)]
struct Organization {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
}

#[derive(Args, Debug)]
#[command(after_long_help = FILE)]
pub(crate) struct CreateArguments {
    #[command(flatten)]
    of: Organization,
    /// The form's file, JSON
    file: PathBuf,
    /// The form to make a new version of; without it, a new form is made
    #[arg(long, value_name = "FORM_ID")]
    form: Option<String>,
}

const FILE: &str = r#"The file of a form:
  {
    "name": "Register a deal",
    "kind": "DEAL_REGISTRATION",
    "review": true,
    "fields": [
      { "key": "company", "label": "Company", "type": "TEXT", "required": true, "maxLength": 100 },
      { "key": "dealValue", "label": "Value of the deal", "help": "In euros.", "type": "MONEY" },
      { "key": "region", "label": "Region", "type": "SELECT",
        "options": [{ "value": "dach", "label": "DACH" }, { "value": "emea", "label": "EMEA" }] }
    ]
  }
A kind is PARTNER_APPLICATION, DEAL_REGISTRATION or OTHER; with "review": true a submission waits
until it is accepted or declined. A type is TEXT, LONG_TEXT, EMAIL, MONEY, DATE, BOOLEAN, SELECT or
MULTI_SELECT."#;

#[derive(Args, Debug)]
pub(crate) struct FormArguments {
    #[command(flatten)]
    of: Organization,
    /// Id of the form
    #[arg(value_name = "FORM_ID")]
    form: String,
}

#[derive(Args, Debug)]
pub(crate) struct SubmissionArguments {
    #[command(flatten)]
    of: Organization,
    /// Id of the submission
    #[arg(value_name = "SUBMISSION_ID")]
    submission: String,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    of: Organization,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl FormsCommand {
    fn organization(&self) -> &OrganizationId {
        match self {
            Self::Create(CreateArguments { of, .. })
            | Self::Publish(FormArguments { of, .. })
            | Self::Unpublish(FormArguments { of, .. })
            | Self::List(ListArguments { of, .. })
            | Self::Show(FormArguments { of, .. })
            | Self::Accept(SubmissionArguments { of, .. })
            | Self::Decline(SubmissionArguments { of, .. }) => &of.organization,
        }
    }
}

pub(crate) async fn run(options: &DatabaseOptions, command: FormsCommand) -> Result<(), CliError> {
    // A file that cannot be read needs no database.
    let definition = match &command {
        FormsCommand::Create(CreateArguments { file, .. }) => Some(read(file)?),
        _ => None,
    };
    let database = options.open().await?;
    let pool = database.pool().await?;
    super::organizations::find(&pool, command.organization()).await?;
    let mut transaction = Tenants::from(&pool).write(command.organization()).await?;
    let message = match &command {
        FormsCommand::Create(arguments) => {
            let definition = definition.as_ref().expect("it was read above");
            create(&mut transaction, arguments.form.as_deref(), definition).await?
        }
        FormsCommand::Publish(FormArguments { form, .. }) => {
            set_published(&mut transaction, form, true).await?
        }
        FormsCommand::Unpublish(FormArguments { form, .. }) => {
            set_published(&mut transaction, form, false).await?
        }
        FormsCommand::List(ListArguments { json, .. }) => {
            let forms = store::list_forms(&mut transaction, None).await?;
            if *json {
                output::json(&forms.iter().map(shown).collect::<Vec<_>>())
            } else {
                table(&forms)
            }
        }
        FormsCommand::Show(FormArguments { form, .. }) => {
            let found = store::list_forms(&mut transaction, Some(form)).await?;
            output::json(&file(found.first().ok_or_else(|| no_form(&transaction, form))?))
        }
        FormsCommand::Accept(SubmissionArguments { submission, .. }) => {
            review(&mut transaction, submission, FormSubmissionStatus::Accepted).await?
        }
        FormsCommand::Decline(SubmissionArguments { submission, .. }) => {
            review(&mut transaction, submission, FormSubmissionStatus::Declined).await?
        }
    };
    transaction.commit().await?;
    anstream::println!("{message}");
    database.close().await
}

fn read(file: &std::path::Path) -> Result<Definition, CliError> {
    let message = |what: String| {
        let help = "`payout-server forms create --help` shows such a file";
        CliError::message(format!("{}: {what}\n{help}", file.display()))
    };
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| message(format!("cannot be read: {error}")))?;
    Definition::parse(&text).map_err(message)
}

async fn create(
    transaction: &mut TenantTransaction,
    form: Option<&str>,
    definition: &Definition,
) -> Result<String, CliError> {
    let id = match form {
        None => store::create_form(transaction, definition).await?,
        Some(form) => match store::change_form(transaction, form, definition).await? {
            Outcome::Changed(_) => form.to_owned(),
            Outcome::Same(version) => {
                return Ok(format!("{form}: version {version} is the same already"));
            }
            Outcome::NotFound => return Err(no_form(transaction, form)),
        },
    };
    let organization = transaction.organization();
    anstream::eprintln!("Next: payout-server forms publish --organization {organization} {id}");
    Ok(id)
}

async fn set_published(
    transaction: &mut TenantTransaction,
    form: &str,
    is_published: bool,
) -> Result<String, CliError> {
    match store::set_published(transaction, form, is_published).await? {
        Outcome::Changed(Some(version)) => Ok(format!("{form}: version {version} is published")),
        Outcome::Changed(None) => Ok(format!("{form}: is no longer published")),
        Outcome::Same(Some(version)) => {
            Ok(format!("{form}: version {version} is published already"))
        }
        Outcome::Same(None) => Ok(format!("{form}: is not published")),
        Outcome::NotFound => Err(no_form(transaction, form)),
    }
}

async fn review(
    transaction: &mut TenantTransaction,
    submission: &str,
    decision: FormSubmissionStatus,
) -> Result<String, CliError> {
    let organization = transaction.organization();
    match store::review(transaction, submission, decision).await? {
        Outcome::Changed(status) => Ok(format!("{submission}: is {status}")),
        Outcome::Same(status) => Err(CliError::message(format!(
            "{submission} is {status} already: only a PENDING submission can be accepted or \
             declined"
        ))),
        Outcome::NotFound => Err(CliError::message(format!(
            "{organization} has no submission {submission}: GET /api/v1/form-submissions lists them"
        ))),
    }
}

fn no_form(transaction: &TenantTransaction, form: &str) -> CliError {
    let organization = transaction.organization();
    CliError::message(format!(
        "{organization} has no form {form}: `payout-server forms list --organization \
         {organization}` shows them"
    ))
}

/// A form as `create` reads it.
fn file(form: &NewestVersion) -> Value {
    json!({ "name": form.name, "kind": form.kind, "review": form.review, "fields": form.fields })
}

fn shown(form: &NewestVersion) -> Value {
    let mut shown = file(form);
    shown["id"] = json!(form.id);
    shown["version"] = json!(form.version);
    shown["publishedVersion"] = json!(form.published_version);
    shown["pendingSubmissions"] = json!(form.pending);
    shown["updatedAt"] = json!(output::time(form.updated_at));
    shown
}

fn table(forms: &[NewestVersion]) -> String {
    let row = |form: &NewestVersion| {
        vec![
            form.id.clone(),
            form.version.to_string(),
            form.published_version.map_or_else(|| "no".to_owned(), |version| version.to_string()),
            form.pending.to_string(),
            form.kind.clone(),
            form.name.clone(),
        ]
    };
    let heads = ["id", "version", "published", "pending", "kind", "name"];
    output::table(&heads, &forms.iter().map(row).collect::<Vec<_>>())
}
