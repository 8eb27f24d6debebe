//! Parsers of flags' values that several commands share.

use chrono::{DateTime, Utc};

use openapi_runtime::reading::FromText as _;

use crate::{
    contract::types::{CurrencyCode, PoNumber, Scope},
    id::OrganizationId,
};

pub(crate) use crate::organizations::model::{bounded, text};

pub(crate) fn po_number(value: &str) -> Result<String, String> {
    PoNumber::from_text(value).map(PoNumber::into_string).map_err(|(_, message)| message)
}

pub fn organization_id(value: &str) -> Result<OrganizationId, String> {
    let id = OrganizationId::parse(value);
    id.ok_or_else(|| {
        "must be `org_` and 26 letters and digits; `payout-server organizations list` shows them"
            .to_owned()
    })
}

pub(crate) fn scope(value: &str) -> Result<Scope, String> {
    let known = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>();
    Scope::parse(value).map_err(|_| format!("must be one of {}", known.join(", ")))
}

/// Reads an instant: a day, which begins at 00:00 UTC, or a time as the API prints it.
pub(crate) fn instant(value: &str) -> Result<DateTime<Utc>, String> {
    let whole = if value.len() == "2026-05-20".len() {
        format!("{value}T00:00:00Z")
    } else {
        value.to_owned()
    };
    whole.parse().map_err(|_| {
        "must be a day such as 2026-05-31, or a time such as 2026-05-31T23:59:59.999Z".to_owned()
    })
}

/// Reads a month in UTC, by its beginning.
pub(crate) fn month(value: &str) -> Result<DateTime<Utc>, String> {
    let begins = format!("{value}-01T00:00:00Z").parse();
    begins.map_err(|_| "must be a year and a month such as 2026-05".to_owned())
}

pub(crate) fn currency(value: &str) -> Result<String, String> {
    CurrencyCode::from_text(value).map(CurrencyCode::into_string).map_err(|(_, message)| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_and_month_begin_at_midnight_utc() {
        assert_eq!(instant("2026-05-31"), instant("2026-05-31T00:00:00.000Z"));
        assert!(instant("2026-02-30").is_err());
        assert!(instant("tomorrow").is_err());
        assert_eq!(month("2026-05"), instant("2026-05-01"));
        assert!(month("2026-13").is_err() && month("2026-05-01").is_err());
    }

    #[test]
    fn texts_are_counted_in_characters() {
        assert!(text(&"é".repeat(200)).is_ok());
        assert!(text(&"é".repeat(201)).is_err());
        assert!(text("").is_err());
        assert!(text("a\0").is_err());
    }

    #[test]
    fn currencies_and_scopes_are_spelt_as_the_document_does() {
        for code in ["eur", "EURO", "XXX", "DEM"] {
            assert!(currency(code).is_err(), "{code}");
        }
        assert!(currency("EUR").is_ok());
        assert!(scope("partners:read").is_ok() && scope("partners:delete").is_err());
    }
}
