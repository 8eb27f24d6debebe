//! `affiliate links`: make, list and disable the links with which partners send customers (X18).

use clap::{Args, Subcommand, value_parser};
use openapi_runtime::Money;
use rust_decimal::Decimal;
use url::Url;

use super::{database::DatabaseOptions, error::CliError, output, portal::find_partner, values};
use crate::{
    affiliate::{
        model::{Amount, Rate},
        operator::{Disabled, Link, NewLink, path_of, store},
    },
    id::OrganizationId,
    portal::PortalAddress,
    postgres::{TenantTransaction, Tenants},
    statements::links::PublicUrl,
};

const CODE_CHARACTERS: usize = 12;
const CODE_ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const TARGET_LIMIT: usize = 2_000;
const PLAN_NAME_LIMIT: usize = 200;

/// Affiliate links: what partners earn with the customers that they send
#[derive(Debug, Subcommand)]
pub(crate) enum AffiliateCommand {
    #[command(subcommand)]
    Links(LinksCommand),
}

/// The links of partners
#[derive(Debug, Subcommand)]
pub(crate) enum LinksCommand {
    /// Make a link for a partner, and print its address
    Create(Box<CreateArguments>),
    /// List links
    List(ListArguments),
    /// Disable a link: it leads nowhere, and later conversions of its clicks are ignored
    Disable(DisableArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CreateArguments {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Id of the partner that earns the commissions
    #[arg(long, value_name = "PARTNER_ID")]
    partner: String,
    /// Where the link leads; its query gets a `clickId`
    #[arg(long, value_parser = target_url, value_name = "URL")]
    target_url: String,
    /// Name of the commission plan, up to 200 characters
    #[arg(long, value_parser = plan_name, value_name = "NAME")]
    plan: String,
    #[command(flatten)]
    rate: RateFlags,
    /// Currency of a fixed commission, ISO 4217; a percentage has the conversion's
    #[arg(long, value_parser = values::currency, required_unless_present = "percent")]
    currency: Option<String>,
    /// Days after a conversion in which its commission is only expected
    #[arg(long, default_value_t = 30, value_parser = value_parser!(i32).range(0..=3_650),
          value_name = "DAYS")]
    hold_days: i32,
    /// Days after a click in which it can become a conversion
    #[arg(long, default_value_t = 90, value_parser = value_parser!(i32).range(1..=3_650),
          value_name = "DAYS")]
    window_days: i32,
    #[command(flatten)]
    address: AddressFlags,
}

/// What a conversion pays.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct RateFlags {
    /// The commission as a percentage of the conversion's amount, such as 10.00
    #[arg(long, value_parser = percent, value_name = "PERCENT")]
    percent: Option<Decimal>,
    /// The commission of each conversion, such as 25.00
    #[arg(long, value_parser = fixed, value_name = "AMOUNT")]
    fixed: Option<Decimal>,
}

/// Where servers are reached, so that whole addresses can be printed.
#[derive(Args, Debug)]
struct AddressFlags {
    /// Address of the portal and of links, as `serve` has it
    #[arg(long, env = "PAYOUT_PORTAL_URL", value_name = "URL")]
    portal_url: Option<PublicUrl>,
    /// Address of the server, as `serve` has it
    #[arg(
        long,
        env = "PAYOUT_PUBLIC_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    public_url: PublicUrl,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Only those of this partner
    #[arg(long, value_name = "PARTNER_ID")]
    partner: Option<String>,
    #[command(flatten)]
    address: AddressFlags,
}

#[derive(Args, Debug)]
pub(crate) struct DisableArguments {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Id of the link, or the end of its address
    #[arg(value_name = "LINK")]
    link: String,
}

fn target_url(value: &str) -> Result<String, String> {
    let url =
        Url::parse(value).map_err(|error| format!("{error}: write it as https://HOST/PATH"))?;
    if url.scheme() != "https" || url.host().is_none() {
        return Err("must begin with https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not have a user or a password, which each visitor would see".to_owned());
    }
    if url.query_pairs().any(|(name, _)| name == "clickId") {
        return Err("must not have a `clickId`, which the redirect adds".to_owned());
    }
    values::bounded(url.as_str(), TARGET_LIMIT)
}

fn plan_name(value: &str) -> Result<String, String> {
    values::bounded(value, PLAN_NAME_LIMIT)
}

fn percent(value: &str) -> Result<Decimal, String> {
    let percent: Option<Decimal> = value.parse().ok();
    let is_percentage = |percent: &Decimal| {
        percent.scale() <= 2 && !percent.is_sign_negative() && *percent <= Decimal::ONE_HUNDRED
    };
    let percent = percent.filter(|percent| is_percentage(percent) && !percent.is_zero());
    percent.ok_or_else(|| "must be more than 0 and at most 100, such as 12.50".to_owned())
}

fn fixed(value: &str) -> Result<Decimal, String> {
    let amount = Money::parse(value).map_err(|error| error.to_string())?.get();
    let is_positive = !amount.is_zero() && !amount.is_sign_negative();
    if is_positive { Ok(amount) } else { Err("must be more than 0.00".to_owned()) }
}

impl AddressFlags {
    fn of(&self, code: &str) -> String {
        let address = PortalAddress::new(self.portal_url.as_ref(), &self.public_url);
        format!("{}{}", address.url(), path_of(code))
    }
}

impl CreateArguments {
    fn rate(&self) -> Option<Rate> {
        let fixed = || Some(Amount { value: self.rate.fixed?, currency: self.currency.clone()? });
        self.rate.percent.map(Rate::Percent).or_else(|| fixed().map(Rate::Fixed))
    }
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: AffiliateCommand,
) -> Result<(), CliError> {
    let AffiliateCommand::Links(command) = command;
    let organization = match &command {
        LinksCommand::Create(create) => &create.organization,
        LinksCommand::List(list) => &list.organization,
        LinksCommand::Disable(disable) => &disable.organization,
    };
    let database = options.open().await?;
    let pool = database.pool().await?;
    super::organizations::find(&pool, organization).await?;
    let mut transaction = Tenants::from(&pool).write(organization).await?;
    let message = match &command {
        LinksCommand::Create(arguments) => create(&mut transaction, arguments).await?,
        LinksCommand::List(ListArguments { partner, address, .. }) => {
            table(&store::list_links(&mut transaction, partner.as_deref()).await?, address)
        }
        LinksCommand::Disable(arguments) => disable(&mut transaction, &arguments.link).await?,
    };
    transaction.commit().await?;
    anstream::println!("{message}");
    database.close().await
}

async fn create(
    transaction: &mut TenantTransaction,
    arguments: &CreateArguments,
) -> Result<String, CliError> {
    find_partner(transaction, &arguments.partner).await?;
    let rate = arguments.rate();
    let rate = rate.ok_or_else(|| CliError::message("--fixed needs a --currency"))?;
    let new = NewLink {
        partner_id: &arguments.partner,
        target_url: &arguments.target_url,
        plan_name: &arguments.plan,
        rate: &rate,
        hold_days: arguments.hold_days,
        window_days: arguments.window_days,
    };
    loop {
        let code = code()?;
        if let Some(id) = store::create_link(transaction, &code, &new).await? {
            return Ok(format!("{id}\n{}", arguments.address.of(&code)));
        }
    }
}

fn code() -> Result<String, CliError> {
    let mut bytes = [0; CODE_CHARACTERS];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::message(format!("no random bytes: {error}")))?;
    Ok(bytes.map(|byte| char::from(CODE_ALPHABET[usize::from(byte % 64)])).iter().collect())
}

async fn disable(transaction: &mut TenantTransaction, link: &str) -> Result<String, CliError> {
    match store::disable_link(transaction, link).await? {
        Disabled::Now => Ok(format!("{link} is disabled; orders made before still count")),
        Disabled::Before(since) => {
            Ok(format!("{link} has been disabled since {}", output::time(since)))
        }
        Disabled::NotFound => {
            let organization = transaction.organization();
            Err(CliError::message(format!(
                "{organization} has no link {link}: `payout-server affiliate links list \
                 --organization {organization}` shows them"
            )))
        }
    }
}

fn table(links: &[Link], address: &AddressFlags) -> String {
    let row = |link: &Link| {
        let pays = match (&link.percent, &link.fixed_amount, &link.currency) {
            (Some(percent), ..) => format!("{percent:.2} %"),
            (None, Some(amount), Some(currency)) => format!("{amount:.2} {currency}"),
            _ => String::new(),
        };
        let days = format!("{} / {}", link.hold_days, link.window_days);
        let disabled = link.disabled_at.map_or_else(|| "-".to_owned(), output::time);
        let texts = [&link.id, &link.partner_name, &link.plan_name, &pays, &days, &disabled];
        let mut cells: Vec<String> = texts.into_iter().cloned().collect();
        cells.push(format!("{} → {}", address.of(&link.code), link.target_url));
        cells
    };
    let rows: Vec<_> = links.iter().map(row).collect();
    output::table(
        &["link", "partner", "plan", "pays", "hold / window days", "disabled", "address"],
        &rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_an_address_that_each_visitor_may_see() {
        assert_eq!(target_url("https://shop.example").unwrap(), "https://shop.example/");
        for (wrong, why) in [
            ("http://shop.example/", "https://"),
            ("https://user@shop.example/", "user"),
            ("https://shop.example/?clickId=1", "clickId"),
            ("shop.example", "relative URL"),
            ("javascript:alert(1)", "https://"),
        ] {
            let error = target_url(wrong).unwrap_err();
            assert!(error.contains(why), "{wrong}: {error}");
        }
        assert!(target_url(&format!("https://shop.example/{}", "x".repeat(2_000))).is_err());
    }

    #[test]
    fn commission_is_more_than_nothing_and_exact_to_the_hundredth() {
        for valid in ["0.01", "10", "12.50", "100.00"] {
            assert!(percent(valid).is_ok(), "{valid}");
        }
        for wrong in ["0", "-1", "100.01", "1.005", "ten", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        assert!(fixed("25.00").is_ok());
        for wrong in ["0.00", "-1.00", "25", "1.005"] {
            assert!(fixed(wrong).is_err(), "{wrong}");
        }
    }
}
