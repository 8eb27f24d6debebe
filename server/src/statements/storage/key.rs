//! The name of an object in the store: `org_<ULID>/ast_<ULID>.pdf`. Every part must be an id of
//! ours: so no key leaves its folder, and no foreign object in the same bucket is swept away.

use std::fmt;

use crate::id::{AssetId, OrganizationId};

const EXTENSION: &str = ".pdf";

/// The key of one rendering or upload. Two attempts never share a key, so nothing is overwritten.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssetKey {
    pub organization: OrganizationId,
    pub attempt: AssetId,
}

impl AssetKey {
    pub fn new(organization: &OrganizationId, attempt: &AssetId) -> Self {
        Self { organization: organization.clone(), attempt: attempt.clone() }
    }

    /// Parses a key; `None` if it is not one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let (organization, file) = text.split_once('/')?;
        let organization = OrganizationId::parse(organization)?;
        let attempt = AssetId::parse(file.strip_suffix(EXTENSION)?)?;
        Some(Self { organization, attempt })
    }
}

impl fmt::Display for AssetKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}{EXTENSION}", self.organization, self.attempt)
    }
}
