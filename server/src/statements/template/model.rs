//! The template, and the bounds of its parts. A part that was never set stays unset: so a release
//! with other defaults changes no fingerprint.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Longest title, in characters.
pub(crate) const TITLE_LIMIT_CHARACTERS: usize = 100;
/// Longest footer, in characters.
pub(crate) const FOOTER_LIMIT_CHARACTERS: usize = 500;

/// The parts that were set; the others have our defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pub title: Option<String>,
    /// `#` and six hexadecimal digits in lower case.
    pub accent_colour: Option<String>,
    pub footer: Option<String>,
    pub logo: Option<Vec<u8>>,
}

/// A change of a template: `None` keeps a part, `Some(None)` unsets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub title: Option<Option<String>>,
    pub accent_colour: Option<Option<String>>,
    pub footer: Option<Option<String>>,
    pub logo: Option<Option<Vec<u8>>>,
}

impl Template {
    /// Replaces the parts that `change` names.
    pub fn changed_by(self, change: Change) -> Self {
        Self {
            title: change.title.unwrap_or(self.title),
            accent_colour: change.accent_colour.unwrap_or(self.accent_colour),
            footer: change.footer.unwrap_or(self.footer),
            logo: change.logo.unwrap_or(self.logo),
        }
    }

    /// Returns the parts for the history, with the hash of the logo.
    pub(crate) fn to_json(&self) -> Value {
        let logo = self.logo.as_deref().map(|png| hex::encode(Sha256::digest(png)));
        json!({
            "title": self.title,
            "accentColour": self.accent_colour,
            "footer": self.footer,
            "logoSha256": logo,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_keeps_sets_and_clears() {
        let before = Template {
            title: Some("Gutschrift".into()),
            footer: Some("Nordwind GmbH".into()),
            ..Template::default()
        };
        let change = Change {
            accent_colour: Some(Some("#aa0000".into())),
            footer: Some(None),
            ..Change::default()
        };
        let after = Template {
            title: Some("Gutschrift".into()),
            accent_colour: Some("#aa0000".into()),
            ..Template::default()
        };
        assert_eq!(before.changed_by(change), after);
    }

    #[test]
    fn the_history_keeps_the_hash_of_a_logo() {
        let template = Template { logo: Some(b"abc".to_vec()), ..Template::default() };
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(template.to_json()["logoSha256"], hash);
    }
}
