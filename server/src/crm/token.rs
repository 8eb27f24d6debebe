//! Tokens of CRMs. The database has them sealed by XChaCha20-Poly1305, for one connection of one
//! organisation: in another row they cannot be opened.

use std::fmt;

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use reqwest::header::HeaderValue;

use crate::{id::OrganizationId, keyring::Keyring};

const LENGTH_LIMIT: usize = 4_096;
const NONCE_LENGTH: usize = 24;

/// The bearer token of a CRM. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

impl Token {
    /// Reads a token. Spaces and line ends around it belong to the file that it comes from.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if text.is_empty() || text.len() > LENGTH_LIMIT || !is_visible {
            return Err(format!(
                "a token has 1 to {LENGTH_LIMIT} visible ASCII characters, without spaces"
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The value of the header `authorization`, which no log shows.
    pub(super) fn authorization(&self) -> HeaderValue {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0))
            .expect("a token has visible ASCII characters alone");
        value.set_sensitive(true);
        value
    }
}

/// The connection that a token is sealed for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    pub organization: &'a OrganizationId,
    pub connection: &'a str,
}

impl Purpose<'_> {
    /// The number is that of this form.
    fn associated_data(self) -> Vec<u8> {
        format!("crm token 1\n{}\n{}", self.organization.as_str(), self.connection).into_bytes()
    }
}

/// A sealed token, as a row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedToken {
    /// The id of the key.
    pub key: String,
    /// The nonce, and then the sealed token.
    pub bytes: Vec<u8>,
}

impl SealedToken {
    /// Seals a token with the newest key.
    pub fn seal(keys: &Keyring, purpose: Purpose<'_>, token: &Token) -> Self {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce).expect("the system has random numbers");
        let key = keys.newest();
        let secret = keys.secret(key).expect("it is one of the keys");
        let aad = purpose.associated_data();
        let sealed = XChaCha20Poly1305::new(secret.into())
            .encrypt(&XNonce::from(nonce), Payload { msg: token.0.as_bytes(), aad: &aad })
            .expect("a token is short");
        Self { key: key.to_owned(), bytes: [&nonce[..], &sealed].concat() }
    }

    /// Opens the token; `None` where its key is gone, or where it was sealed for another purpose.
    pub fn open(&self, keys: &Keyring, purpose: Purpose<'_>) -> Option<Token> {
        let (nonce, sealed) = self.bytes.split_first_chunk::<NONCE_LENGTH>()?;
        let aad = purpose.associated_data();
        let token = XChaCha20Poly1305::new(keys.secret(&self.key)?.into())
            .decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: &aad })
            .ok()?;
        String::from_utf8(token).ok().map(Token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(ids: &[&str]) -> Keyring {
        let line = |id: &&str| format!("{id} {}\n", id.repeat(64));
        Keyring::parse(&ids.iter().map(line).collect::<String>()).unwrap()
    }

    #[test]
    fn sealed_token_opens_for_its_organization_and_connection_alone() {
        let (ours, theirs) = (OrganizationId::generate(), OrganizationId::generate());
        let token = Token::parse("pat-eu1-secret").unwrap();
        let purpose = Purpose { organization: &ours, connection: "crm_1" };
        let sealed = SealedToken::seal(&keys(&["a"]), purpose, &token);
        assert_eq!(sealed.open(&keys(&["a"]), purpose), Some(token));
        for (organization, connection) in [(&theirs, "crm_1"), (&ours, "crm_2")] {
            let other = Purpose { organization, connection };
            assert_eq!(sealed.open(&keys(&["a"]), other), None);
        }
        for index in 0..sealed.bytes.len() {
            let mut altered = sealed.clone();
            altered.bytes[index] ^= 1;
            assert_eq!(altered.open(&keys(&["a"]), purpose), None, "byte {index}");
        }
    }

    #[test]
    fn first_key_seals_and_every_key_opens() {
        let organization = OrganizationId::generate();
        let purpose = Purpose { organization: &organization, connection: "crm_1" };
        let token = Token::parse("secret").unwrap();
        let sealed = SealedToken::seal(&keys(&["a", "b"]), purpose, &token);
        assert_eq!(sealed.key, "a");
        assert_eq!(sealed.open(&keys(&["b", "a"]), purpose), Some(token));
        assert_eq!(sealed.open(&keys(&["b"]), purpose), None);
    }

    #[test]
    fn token_is_neither_shown_nor_in_its_sealed_form() {
        let organization = OrganizationId::generate();
        let purpose = Purpose { organization: &organization, connection: "crm_1" };
        let token = Token::parse(" secret\n").unwrap();
        let sealed = SealedToken::seal(&keys(&["a"]), purpose, &token);
        assert!(!sealed.bytes.windows(6).any(|bytes| bytes == b"secret"));
        assert_eq!(format!("{token:?} {:?}", token.authorization()), "Token Sensitive");
        for text in ["", " ", "a b", "a\nb", "ü", &"a".repeat(LENGTH_LIMIT + 1)] {
            assert!(Token::parse(text).is_err(), "{text:?}");
        }
    }
}
