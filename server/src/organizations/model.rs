//! An organisation, its limits and its billing information.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Requests a minute of a new organisation (A4).
pub const DEFAULT_REQUESTS_PER_MINUTE: i32 = 120;
pub const MAXIMUM_REQUESTS_PER_MINUTE: i32 = 1_000_000;
/// Credits a month of a new organisation (A6).
pub const DEFAULT_CREDITS_PER_MONTH: i64 = 10_000;
pub const MAXIMUM_CREDITS_PER_MONTH: i64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    pub requests_per_minute: i32,
    pub credits_per_month: CreditAllowance,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_per_minute: DEFAULT_REQUESTS_PER_MINUTE,
            credits_per_month: CreditAllowance(Some(DEFAULT_CREDITS_PER_MONTH)),
        }
    }
}

impl Limits {
    /// Returns the limits as the history stores them.
    pub fn to_json(self) -> Value {
        json!({
            "requestsPerMinute": self.requests_per_minute,
            "creditsPerMonth": self.credits_per_month.0,
        })
    }
}

/// Credits a month; `None` = unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CreditAllowance(pub Option<i64>);

impl std::str::FromStr for CreditAllowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unlimited" {
            return Ok(Self(None));
        }
        let credits: Option<i64> = text.parse().ok();
        match credits {
            Some(credits) if (0..=MAXIMUM_CREDITS_PER_MONTH).contains(&credits) => {
                Ok(Self(Some(credits)))
            }
            _ => Err(format!("must be 0 to {MAXIMUM_CREDITS_PER_MONTH}, or `unlimited`")),
        }
    }
}

impl std::fmt::Display for CreditAllowance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(credits) => write!(formatter, "{credits}"),
            None => formatter.write_str("unlimited"),
        }
    }
}

/// An organisation, as operator's commands print it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: String,
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub requests_per_minute: i32,
    pub requests_this_minute: i32,
    /// Credits a month; `None` = unlimited.
    pub credits_per_month: Option<i64>,
    pub credits_this_month: i64,
    pub valid_keys: i64,
    /// Since when it is stopped, because it moves to another cell.
    pub stopped_at: Option<DateTime<Utc>>,
    /// The cell that has it now.
    pub moved_to: Option<String>,
}

/// The billing information on a statement. Each part is missing until it is set.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[group(required = true, multiple = true)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Billing {
    /// Legal name (required)
    #[arg(long, value_parser = text)]
    pub legal_name: Option<String>,
    /// First line of the address (required)
    #[arg(long, value_parser = text)]
    pub address_line_1: Option<String>,
    /// Second line of the address
    #[arg(long, value_parser = text)]
    pub address_line_2: Option<String>,
    /// Postal code (required)
    #[arg(long, value_parser = text)]
    pub postal_code: Option<String>,
    /// City (required)
    #[arg(long, value_parser = text)]
    pub city: Option<String>,
    /// Country (required)
    #[arg(long, value_parser = text)]
    pub country: Option<String>,
    /// E-mail address of the finance department (required)
    #[arg(long, value_parser = text)]
    pub finance_email: Option<String>,
    /// Company number (this or the VAT number is required)
    #[arg(long, value_parser = text)]
    pub company_number: Option<String>,
    /// VAT number (this or the company number is required)
    #[arg(long, value_parser = text)]
    pub vat_number: Option<String>,
}

const TEXT_LIMIT_CHARACTERS: usize = 200;

pub(crate) fn text(value: &str) -> Result<String, String> {
    bounded(value, TEXT_LIMIT_CHARACTERS)
}

/// Reads a text of 1 to `limit` characters.
pub(crate) fn bounded(value: &str, limit: usize) -> Result<String, String> {
    let length = value.chars().count();
    if (1..=limit).contains(&length) && !value.contains('\0') {
        return Ok(value.to_owned());
    }
    Err(format!("must have 1 to {limit} characters, has {length}"))
}

/// Missing billing information that a statement requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingBilling {
    /// Its name in messages.
    pub part: &'static str,
    /// Its fields, as `details.missing` lists them; one of several is enough.
    pub fields: &'static [&'static str],
    /// The flag of `organizations set-billing` that sets it.
    pub flag: &'static str,
}

/// The parts that a statement requires (S3).
const REQUIRED_BILLING: [MissingBilling; 7] = [
    required("legal name", &["legalName"], "--legal-name"),
    required("address line 1", &["addressLine1"], "--address-line-1"),
    required("postal code", &["postalCode"], "--postal-code"),
    required("city", &["city"], "--city"),
    required("country", &["country"], "--country"),
    required("finance e-mail", &["financeEmail"], "--finance-email"),
    required(
        "company or VAT number",
        &["companyNumber", "vatNumber"],
        "--company-number or --vat-number",
    ),
];

const fn required(
    part: &'static str,
    fields: &'static [&'static str],
    flag: &'static str,
) -> MissingBilling {
    MissingBilling { part, fields, flag }
}

impl MissingBilling {
    pub(crate) fn flags(missing: &[Self]) -> Vec<&'static str> {
        missing.iter().map(|missing| missing.flag).collect()
    }
}

impl Billing {
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let Value::Object(mut fields) = json!(self) else {
            unreachable!("a struct is an object");
        };
        fields.retain(|_, value| !value.is_null());
        fields
    }

    /// Returns the missing parts that a statement requires (S3).
    pub(crate) fn missing(&self) -> Vec<MissingBilling> {
        let set = self.to_json();
        let is_missing =
            |part: &MissingBilling| !part.fields.iter().any(|one| set.contains_key(*one));
        REQUIRED_BILLING.into_iter().filter(is_missing).collect()
    }

    pub(crate) fn changed_by(&self, change: &Self) -> Self {
        let mut fields = self.to_json();
        fields.extend(change.to_json());
        serde_json::from_value(fields.into()).expect("fields of its own")
    }
}
