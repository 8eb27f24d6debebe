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
