//! The template, and the bounds of its parts. A part that was never set stays unset: so a release
//! with other defaults changes no fingerprint.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const TITLE_LIMIT_CHARACTERS: usize = 100;
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

impl Template {
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
    fn the_history_keeps_the_hash_of_a_logo() {
        let template = Template { logo: Some(b"abc".to_vec()), ..Template::default() };
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(template.to_json()["logoSha256"], hash);
    }
}
