//! An organisation, its limits and its billing information.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Requests a minute of a new organisation (A4).
pub const DEFAULT_REQUESTS_PER_MINUTE: i32 = 120;
/// The highest limit of requests a minute.
pub const MAXIMUM_REQUESTS_PER_MINUTE: i32 = 1_000_000;
/// Credits a month of a new organisation (A6).
pub const DEFAULT_CREDITS_PER_MONTH: i64 = 10_000;
/// The highest limit of credits a month other than `unlimited`.
pub const MAXIMUM_CREDITS_PER_MONTH: i64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Requests a minute, over all its keys.
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
    #[must_use]
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
    /// Requests counted in the current minute.
    pub requests_this_minute: i32,
    /// Credits a month; `None` = unlimited.
    pub credits_per_month: Option<i64>,
    /// Credits spent in the current month.
    pub credits_this_month: i64,
    pub valid_keys: i64,
}

/// The billing information on a statement. Each part is missing until it is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Billing {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "addressLine1")]
    pub address_line_1: Option<String>,
    /// Second line of the address; never needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "addressLine2")]
    pub address_line_2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finance_email: Option<String>,
    /// Company number; this or a VAT number is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_number: Option<String>,
    /// VAT number; this or a company number is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_number: Option<String>,
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
    /// Returns the missing parts that a statement requires (S3).
    pub(crate) fn missing(&self) -> Vec<MissingBilling> {
        let number = self.company_number.as_ref().or(self.vat_number.as_ref());
        let values = [
            self.legal_name.as_ref(),
            self.address_line_1.as_ref(),
            self.postal_code.as_ref(),
            self.city.as_ref(),
            self.country.as_ref(),
            self.finance_email.as_ref(),
            number,
        ];
        let fields = REQUIRED_BILLING.into_iter().zip(values);
        let missing = fields.filter(|(_, value)| value.is_none());
        missing.map(|(missing, _)| missing).collect()
    }

    /// Replaces the fields that `change` has.
    pub(crate) fn changed_by(self, change: Self) -> Self {
        Self {
            legal_name: change.legal_name.or(self.legal_name),
            address_line_1: change.address_line_1.or(self.address_line_1),
            address_line_2: change.address_line_2.or(self.address_line_2),
            postal_code: change.postal_code.or(self.postal_code),
            city: change.city.or(self.city),
            country: change.country.or(self.country),
            finance_email: change.finance_email.or(self.finance_email),
            company_number: change.company_number.or(self.company_number),
            vat_number: change.vat_number.or(self.vat_number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Billing {
        let some = |text: &str| Some(text.to_owned());
        Billing {
            legal_name: some("Meridian Software GmbH"),
            address_line_1: some("Hafenstr. 1"),
            address_line_2: None,
            postal_code: some("20457"),
            city: some("Hamburg"),
            country: some("DE"),
            finance_email: some("finance@meridian.example"),
            company_number: None,
            vat_number: some("DE123456789"),
        }
    }

    #[test]
    fn one_of_company_and_vat_number_is_enough() {
        assert!(complete().missing().is_empty());
        let company =
            Billing { vat_number: None, company_number: Some("HRB 1".into()), ..complete() };
        assert!(company.missing().is_empty());
        let neither = Billing { vat_number: None, ..complete() };
        assert_eq!(MissingBilling::flags(&neither.missing()), ["--company-number or --vat-number"]);
    }

    #[test]
    fn empty_billing_is_missing_every_required_part() {
        let missing = MissingBilling::flags(&Billing::default().missing());
        assert_eq!(missing.len(), 7);
        assert!(!missing.contains(&"--address-line-2"));
    }

    #[test]
    fn change_keeps_other_fields() {
        let change = Billing { city: Some("Bremen".into()), ..Billing::default() };
        let changed = complete().changed_by(change);
        assert_eq!(changed, Billing { city: Some("Bremen".into()), ..complete() });
    }

    #[test]
    fn allowances_are_bounded() {
        assert_eq!("unlimited".parse(), Ok(CreditAllowance(None)));
        assert_eq!("0".parse(), Ok(CreditAllowance(Some(0))));
        for wrong in ["-1", "1000000001", "", "ten", "1e3"] {
            assert!(wrong.parse::<CreditAllowance>().is_err(), "{wrong:?}");
        }
    }
}
