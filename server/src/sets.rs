//! The closed sets of words that the tables hold, for what an operator writes: files and flags.
//!
//! It refuses a word outside its set before a table would.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    use crate::contract::types;
    use clap::ValueEnum;

    fn words<T: ValueEnum>() -> Vec<String> {
        let word = |value: &T| {
            value
                .to_possible_value()
                .map(|word| word.get_name().to_owned())
        };
        T::value_variants().iter().filter_map(word).collect()
    }

    #[test]
    fn every_set_is_that_of_the_document() {
        let documented: Vec<&str> = types::Scope::ALL
            .iter()
            .map(|scope| scope.as_str())
            .collect();
        assert_eq!(words::<Scope>(), documented);
        assert_eq!(words::<LineStatus>(), types::CommissionLineStatus::VALUES);
        assert_eq!(words::<PortalAccess>(), types::PortalAccess::VALUES);
        assert_eq!(words::<ExternalIdType>(), types::ExternalIdType::KNOWN);
        assert_eq!(words::<PartnerStatus>(), types::PartnerStatus::KNOWN);
        assert_eq!(words::<PayoutStage>(), types::PayoutStage::KNOWN);
    }
}
