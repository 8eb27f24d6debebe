//! The template, and the bounds of its parts.
//!
//! It refuses to know our own defaults: a part that was never set stays unset, so that a release changes no fingerprint.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Longest title, in characters.
pub const TITLE_LIMIT_CHARACTERS: usize = 100;
/// Longest footer, in characters.
pub const FOOTER_LIMIT_CHARACTERS: usize = 500;

/// What an organisation's statements look like, as it was set; what is absent is as we ship it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The title.
    pub title: Option<String>,
    /// The accent colour, `#` and six hexadecimal digits in lower case.
    pub accent_colour: Option<String>,
    /// The footer's text.
    pub footer: Option<String>,
    /// The logo, a PNG.
    pub logo: Option<Vec<u8>>,
}

/// What to change: `None` keeps a part, `Some(None)` makes it as we ship it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The title.
    pub title: Option<Option<String>>,
    /// The accent colour.
    pub accent_colour: Option<Option<String>>,
    /// The footer's text.
    pub footer: Option<Option<String>>,
    /// The logo.
    pub logo: Option<Option<Vec<u8>>>,
}

impl Template {
    /// The same, with what `change` names replaced.
    #[must_use]
    pub fn changed_by(self, change: Change) -> Self {
        Self {
            title: change.title.unwrap_or(self.title),
            accent_colour: change.accent_colour.unwrap_or(self.accent_colour),
            footer: change.footer.unwrap_or(self.footer),
            logo: change.logo.unwrap_or(self.logo),
        }
    }

    /// As the history keeps it: of the logo, the hash of its bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let logo = self
            .logo
            .as_deref()
            .map(|png| hex::encode(Sha256::digest(png)));
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
        let template = Template {
            logo: Some(b"abc".to_vec()),
            ..Template::default()
        };
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(template.to_json()["logoSha256"], hash);
    }
}
