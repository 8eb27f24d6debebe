//! The values of an import file: local names, instants, amounts, currencies, and the closed sets.
//!
//! It refuses what a table would refuse, so that nothing sound here fails there.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A text of the file with a pattern of its own.
macro_rules! patterned {
    ($(#[$documentation:meta])* $name:ident, $pattern:literal, $description:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $description })
            }
        }
    };
}

patterned!(
    /// The name by which entries of one organisation refer to each other; it never leaves the file.
    LocalName,
    "^[a-z0-9][a-z0-9_-]{0,63}$",
    "A local name: the entries of one organisation refer to each other by it."
);
patterned!(
    /// An instant in UTC with milliseconds (V2).
    Instant,
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
    "An instant in UTC with milliseconds, such as 2026-05-20T09:30:00.000Z."
);
patterned!(
    /// An exact amount with two fraction digits (V3).
    Amount,
    r"^-?(0|[1-9][0-9]{0,17})\.[0-9]{2}$",
    "An exact amount with two fraction digits, such as -12.50; up to 18 digits before the point."
);
patterned!(
    /// An ISO 4217 code (V4).
    Currency,
    "^[A-Z]{3}$",
    "An ISO 4217 currency code."
);

impl Instant {
    /// The instant, where there is such a day and time.
    #[must_use]
    pub fn parse(&self) -> Option<DateTime<Utc>> {
        self.0.parse().ok()
    }
}

impl Amount {
    /// The exact value.
    #[must_use]
    pub fn parse(&self) -> Option<Decimal> {
        Decimal::from_str_exact(&self.0).ok()
    }
}

/// A closed set of words.
macro_rules! words {
    ($(#[$documentation:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
        #[expect(missing_docs, reason = "the names are the documentation")]
        pub enum $name {
            $(#[serde(rename = $word)] #[value(name = $word)] $variant),+
        }

        impl $name {
            /// As the table holds it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words!(
    /// A scope (§5).
    Scope {
        PartnersRead = "partners:read",
        PartnersWrite = "partners:write",
        CommissionsRead = "commissions:read",
        CommissionsWrite = "commissions:write",
        AffiliateWrite = "affiliate:write",
        PortalSessionsWrite = "portal-sessions:write",
    }
);
words!(
    /// What a partner's external id names (V6).
    ExternalIdType { Partner = "PARTNER", Company = "COMPANY" }
);
words!(
    /// Who may enter a partner's portal (§4.3).
    PortalAccess { RestrictedUsers = "RESTRICTED_USERS", RestrictedDomains = "RESTRICTED_DOMAINS" }
);
words!(
    /// A partner's status (V7).
    PartnerStatus { Active = "active", Pending = "pending", Inactive = "inactive", Archived = "archived" }
);
words!(
    /// A line's status (§3.1).
    LineStatus { Expected = "EXPECTED", Pending = "PENDING", InPayout = "IN_PAYOUT", Voided = "VOIDED" }
);
words!(
    /// A payout's stage (V10).
    PayoutStage {
        Draft = "DRAFT",
        PendingReview = "PENDING_REVIEW",
        PendingInvoice = "PENDING_INVOICE",
        Approved = "APPROVED",
        Scheduled = "SCHEDULED",
        PendingPayment = "PENDING_PAYMENT",
        Paid = "PAID",
        Declined = "DECLINED",
        Postponed = "POSTPONED",
        Blocked = "BLOCKED",
        Failed = "FAILED",
    }
);

#[expect(
    clippy::derivable_impls,
    reason = "the macro writes the derives, of all sets alike"
)]
impl Default for PartnerStatus {
    fn default() -> Self {
        Self::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn scopes_are_those_of_the_document() {
        let ours: Vec<&str> = Scope::value_variants()
            .iter()
            .map(|scope| scope.as_str())
            .collect();
        let documented = crate::contract::types::Scope::ALL
            .iter()
            .map(|scope| scope.as_str());
        assert_eq!(ours, documented.collect::<Vec<_>>());
    }

    #[test]
    fn amounts_are_exact() {
        let amount = Amount("90071992547409.93".to_owned()).parse().unwrap();
        assert_eq!(amount.to_string(), "90071992547409.93");
    }

    #[test]
    fn an_instant_that_never_was_is_none() {
        assert!(
            Instant("2026-02-30T00:00:00.000Z".to_owned())
                .parse()
                .is_none()
        );
        assert!(
            Instant("2024-02-29T23:59:59.999Z".to_owned())
                .parse()
                .is_some()
        );
    }
}
