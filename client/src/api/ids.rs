//! Conversions between types of the document, and into them. (R5, V1)

use crate::types::{PartnerId, PartnerReference, Violation};

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

/// A violation that the client finds is one that the server would report.
impl From<openapi_client::Violation> for Violation {
    fn from(found: openapi_client::Violation) -> Self {
        Self {
            in_: found.location.as_str().into(),
            path: found.path,
            code: found.code.as_str().into(),
            message: found.message,
            unknown_fields: Default::default(),
        }
    }
}
