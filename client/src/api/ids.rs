//! Conversions between ids. (R5, V1)

use crate::types::{PartnerId, PartnerReference};

/// A service id names a partner.
impl From<PartnerId> for PartnerReference {
    fn from(id: PartnerId) -> Self {
        Self::from(id.as_str())
    }
}

/// A service id names a partner.
impl From<&PartnerId> for PartnerReference {
    fn from(id: &PartnerId) -> Self {
        Self::from(id.as_str())
    }
}
