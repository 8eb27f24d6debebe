//! The values of an import file: local names, instants, amounts, currencies, closed sets.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use payout_server::tools::value_sets;
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A text of the file, with a schema of its own.
macro_rules! text {
    ($name:ident, $description:literal, $keyword:literal: $rule:expr) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
        #[serde(transparent)]
        #[doc = $description]
        pub(crate) struct $name(pub(crate) String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string", $keyword: $rule, "description": $description
                })
            }
        }
    };
}

text!(
    LocalName,
    "A local name: the entries of one organisation refer to each other by it.",
    "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"
);
text!(
    Instant,
    "An instant in UTC with milliseconds, such as 2026-05-20T09:30:00.000Z.",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"
);
text!(
    Amount,
    "An exact amount with two fraction digits, such as -12.50; up to 18 digits before the point.",
    "pattern": r"^-?(0|[1-9][0-9]{0,17})\.[0-9]{2}$"
);
text!(Currency, "An ISO 4217 currency code.", "pattern": "^[A-Z]{3}$");
text!(
    Base64,
    "Bytes in base64, with the standard alphabet and its padding.",
    "pattern": "^[A-Za-z0-9+/]+={0,2}$"
);
text!(Scope, "A scope (§5).", "enum": value_sets::Scope::VALUES);
text!(
    ExternalIdType,
    "What a partner's external id names (V6).",
    "enum": value_sets::ExternalIdType::VALUES
);
text!(
    PortalAccess,
    "Who may enter a partner's portal (§4.3).",
    "enum": value_sets::PortalAccess::VALUES
);
text!(PartnerStatus, "A partner's status (V7).", "enum": value_sets::PartnerStatus::VALUES);
text!(LineStatus, "A line's status (§3.1).", "enum": value_sets::CommissionLineStatus::VALUES);
text!(PayoutStage, "A payout's stage (V10).", "enum": value_sets::PayoutStage::VALUES);

impl Default for PartnerStatus {
    fn default() -> Self {
        Self("active".to_owned())
    }
}

impl LineStatus {
    pub(crate) const PENDING: &str = "PENDING";
    pub(crate) const IN_PAYOUT: &str = "IN_PAYOUT";
}

impl Base64 {
    pub(crate) fn decode(&self) -> Option<Vec<u8>> {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(&self.0).ok()
    }
}

impl Instant {
    /// The instant; `None` for a day or time that does not exist.
    pub(crate) fn parse(&self) -> Option<DateTime<Utc>> {
        self.0.parse().ok()
    }
}

impl Amount {
    pub(crate) fn parse(&self) -> Option<Decimal> {
        Decimal::from_str_exact(&self.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        let amount = Amount("90071992547409.93".to_owned()).parse().unwrap();
        assert_eq!(amount.to_string(), "90071992547409.93");
    }

    #[test]
    fn an_instant_that_never_was_is_none() {
        let parse = |text: &str| Instant(text.to_owned()).parse();
        assert!(parse("2026-02-30T00:00:00.000Z").is_none());
        assert!(parse("2024-02-29T23:59:59.999Z").is_some());
    }
}
