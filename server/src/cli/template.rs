//! `organizations set-template`: the template of an organisation's statements (S4). A logo is
//! decoded before it is stored.

use std::path::PathBuf;

use clap::Args;
use payout_statement::{Colour, Logo};

use super::{error::CliError, values};
use crate::{
    id::OrganizationId,
    postgres::Tenants,
    statements::template::{
        Template,
        model::{FOOTER_LIMIT_CHARACTERS, TITLE_LIMIT_CHARACTERS},
        store,
    },
};

#[derive(Args, Debug)]
pub(crate) struct SetTemplateArguments {
    /// The organisation's id
    #[arg(value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
    #[command(flatten)]
    change: TemplateFlags,
}

/// Every part of the template; at least one is given.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct TemplateFlags {
    /// Title, printed large on the first page, 1 to 100 characters
    #[arg(long, value_parser = title)]
    title: Option<String>,
    /// Colour of the accents, such as #0f5c6e
    #[arg(long, value_parser = colour, value_name = "#RRGGBB")]
    accent_colour: Option<String>,
    /// Text at the foot of every page, 1 to 500 characters; its line breaks are printed
    #[arg(long, value_parser = footer)]
    footer: Option<String>,
    /// Logo at the head of the first page: a PNG file
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
    /// Print the built-in title
    #[arg(long, conflicts_with = "title")]
    no_title: bool,
    /// Print the built-in colour
    #[arg(long, conflicts_with = "accent_colour")]
    no_accent_colour: bool,
    /// Print no footer
    #[arg(long, conflicts_with = "footer")]
    no_footer: bool,
    /// Print no logo
    #[arg(long, conflicts_with = "logo")]
    no_logo: bool,
}

pub(crate) async fn run(tenants: Tenants, arguments: SetTemplateArguments) -> Result<(), CliError> {
    let id = arguments.id;
    let logo = arguments.change.logo.as_deref().map(logo).transpose()?;
    let mut transaction = tenants.write(&id).await?;
    let before = store::lock_template(&mut transaction).await?;
    let before = before.ok_or_else(|| CliError::no_organization(id.as_str()))?;
    let after = arguments.change.applied_to(&before, logo);
    store::set_template(&mut transaction, &before, &after).await?;
    transaction.commit().await?;
    if before == after {
        anstream::println!("{id}: the template has not changed");
    } else {
        anstream::println!("{id}: statements have the new template from the next request on");
    }
    Ok(())
}

pub(crate) fn summary(template: &serde_json::Value) -> String {
    let parts = ["title", "accentColour", "footer", "logoSha256"];
    let set = parts.iter().filter(|part| !template[**part].is_null());
    let set: Vec<String> = set.map(|part| format!("{part} {}", template[*part])).collect();
    if set.is_empty() { "built-in".to_owned() } else { set.join(", ") }
}

impl TemplateFlags {
    fn applied_to(self, before: &Template, logo: Option<Vec<u8>>) -> Template {
        let part = |value: Option<String>, is_cleared: bool, before: &Option<String>| {
            value.or_else(|| before.clone().filter(|_| !is_cleared))
        };
        Template {
            title: part(self.title, self.no_title, &before.title),
            accent_colour: part(self.accent_colour, self.no_accent_colour, &before.accent_colour),
            footer: part(self.footer, self.no_footer, &before.footer),
            logo: logo.or_else(|| before.logo.clone().filter(|_| !self.no_logo)),
        }
    }
}

fn logo(file: &std::path::Path) -> Result<Vec<u8>, CliError> {
    let message = |what: String| CliError::message(format!("{}: {what}", file.display()));
    let bytes = std::fs::read(file).map_err(|error| message(format!("cannot be read: {error}")))?;
    Logo::from_png(&bytes).map_err(|error| message(error.to_string()))?;
    Ok(bytes)
}

fn title(value: &str) -> Result<String, String> {
    values::bounded(value, TITLE_LIMIT_CHARACTERS)
}

fn footer(value: &str) -> Result<String, String> {
    values::bounded(value, FOOTER_LIMIT_CHARACTERS)
}

fn colour(value: &str) -> Result<String, String> {
    let colour: Colour = value
        .parse()
        .map_err(|_| "must be # and six hexadecimal digits, such as #0f5c6e".to_owned())?;
    Ok(colour.to_string())
}
