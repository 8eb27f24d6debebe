//! The name of an object in the store: `org_<ULID>/ast_<ULID>.pdf`. Every part must be an id of
//! ours: so no key leaves its folder, and no foreign object in the same bucket is swept away.

use std::fmt;

use object_store::path::Path;

use crate::id::{AssetId, OrganizationId};

const EXTENSION: &str = ".pdf";

/// The key of one rendering or upload. Two attempts never share a key, so nothing is overwritten.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssetKey {
    text: String,
    organization_length: usize,
}

impl AssetKey {
    #[must_use]
    pub fn new(organization: &OrganizationId, attempt: &AssetId) -> Self {
        Self {
            text: format!("{organization}/{attempt}{EXTENSION}"),
            organization_length: organization.len(),
        }
    }

    /// Parses a key; `None` if it is not one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let (organization, file) = text.split_once('/')?;
        let organization = OrganizationId::parse(organization)?;
        let attempt = AssetId::parse(file.strip_suffix(EXTENSION)?)?;
        Some(Self::new(&organization, &attempt))
    }

    /// Returns the key without a store's prefix.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn organization(&self) -> &str {
        &self.text[..self.organization_length]
    }

    pub fn attempt(&self) -> &str {
        &self.text[self.organization_length + 1..self.text.len() - EXTENSION.len()]
    }

    /// Its location in a store that has everything under `prefix`.
    pub(super) fn under(&self, prefix: &Path) -> Path {
        prefix.parts().chain(Path::from(self.as_str()).parts()).collect()
    }

    /// Returns the key of a listed object; `None` if it is not one of ours.
    pub(super) fn within(prefix: &Path, location: &Path) -> Option<Self> {
        let parts: Vec<String> =
            location.prefix_match(prefix)?.map(|part| part.as_ref().to_owned()).collect();
        Self::parse(&parts.join("/"))
    }
}

impl fmt::Display for AssetKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AN_ORGANIZATION: &str = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    const AN_ATTEMPT: &str = "ast_01JV3N8Q5RHWXK2M4P6S7T9V0B";

    fn key() -> AssetKey {
        let organization = OrganizationId::parse(AN_ORGANIZATION).unwrap();
        AssetKey::new(&organization, &AssetId::parse(AN_ATTEMPT).unwrap())
    }

    #[test]
    fn key_is_read_back() {
        let key = key();
        assert_eq!(key.as_str(), format!("{AN_ORGANIZATION}/{AN_ATTEMPT}.pdf"));
        assert_eq!(AssetKey::parse(key.as_str()), Some(key.clone()));
        assert_eq!((key.organization(), key.attempt()), (AN_ORGANIZATION, AN_ATTEMPT));
    }

    #[test]
    fn part_that_is_no_id_is_rejected() {
        let altered = |id: &str| {
            let replaced = |at: usize, with: &str| format!("{}{with}{}", &id[..at], &id[at + 1..]);
            vec![
                String::new(),
                id[..id.len() - 1].to_owned(),
                format!("{id}0"),
                format!("{id}/"),
                format!("../{id}"),
                id.to_lowercase(),
                id.to_uppercase(),
                replaced(4, "8"),
                replaced(9, "I"),
                replaced(9, "U"),
                replaced(9, "."),
                replaced(9, "/"),
                replaced(9, "%"),
                replaced(9, "#"),
                replaced(9, "\0"),
                replaced(9, "é"),
                replaced(3, "-"),
            ]
        };
        for hostile in altered(AN_ORGANIZATION) {
            let key = format!("{hostile}/{AN_ATTEMPT}.pdf");
            assert_eq!(AssetKey::parse(&key), None, "{hostile:?}");
        }
        for hostile in altered(AN_ATTEMPT) {
            let key = format!("{AN_ORGANIZATION}/{hostile}.pdf");
            assert_eq!(AssetKey::parse(&key), None, "{hostile:?}");
        }
        let swapped = format!("{AN_ATTEMPT}/{AN_ORGANIZATION}.pdf");
        assert_eq!(AssetKey::parse(&swapped), None);
    }

    #[test]
    fn foreign_object_is_no_key() {
        let ours = format!("{AN_ORGANIZATION}/{AN_ATTEMPT}.pdf");
        for foreign in [
            "",
            "readme.txt",
            "a/b.pdf",
            "org_A/ast_B.pdf",
            &ours[1..],
            &ours.replace(".pdf", ""),
            &ours.replace(".pdf", ".PDF"),
            &format!("/{ours}"),
            &format!("{ours}#1"),
            &format!("a/{ours}"),
            &ours.replace('/', "/a/"),
        ] {
            assert_eq!(AssetKey::parse(foreign), None, "{foreign:?}");
        }
    }

    #[test]
    fn prefix_is_added_and_taken_off() {
        let key = key();
        for prefix in ["", "statements", "a/b"] {
            let prefix = Path::from(prefix);
            let location = key.under(&prefix);
            assert_eq!(AssetKey::within(&prefix, &location), Some(key.clone()));
        }
        let location = key.under(&Path::from("ours"));
        assert_eq!(location.as_ref(), format!("ours/{key}"));
        assert_eq!(AssetKey::within(&Path::from("others"), &location), None);
        assert_eq!(AssetKey::within(&Path::from(""), &location), None);
    }
}
