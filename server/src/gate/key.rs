//! Generates, parses and hashes API keys (A1). `Debug` prints neither a key nor a hash.

use std::fmt;

use sha2::{Digest, Sha256};

/// Characters of the secret part: 32 characters of base 62 carry 190 bits.
const SECRET_LENGTH: usize = 32;
/// Characters of the checksum: a CRC32 needs at most 6 in base 62.
const CHECKSUM_LENGTH: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The deployment that a key belongs to; the other one rejects it (A1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Environment {
    /// Keys begin with `pcp_live_`.
    Live,
    /// Keys begin with `pcp_test_`.
    Test,
}

impl Environment {
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Live => "pcp_live_",
            Self::Test => "pcp_test_",
        }
    }
}

/// A prefix, 32 characters of base 62, and 6 of the CRC32 over all before them.
pub struct ApiKey(String);

impl ApiKey {
    /// Generates a key from the system's randomness.
    ///
    /// # Panics
    /// If the system has no randomness: a predictable key must never exist.
    pub fn generate(environment: Environment) -> Self {
        let mut key = environment.prefix().to_owned();
        let mut bytes = [0_u8; 64];
        while key.len() < environment.prefix().len() + SECRET_LENGTH {
            getrandom::fill(&mut bytes).expect("the system has randomness");
            // Bytes from 248 on are dropped: 256 is no multiple of 62, so their characters would
            // be likelier than the others.
            let free = environment.prefix().len() + SECRET_LENGTH - key.len();
            let fair = bytes.iter().filter(|byte| **byte < 248).take(free);
            key.extend(fair.map(|byte| char::from(ALPHABET[usize::from(byte % 62)])));
        }
        let checksum = checksum(&key);
        key.push_str(&checksum);
        Self(key)
    }

    /// Parses a key of `environment`. The checksum detects a typing error without a lookup.
    pub fn parse(text: &str, environment: Environment) -> Option<Self> {
        let characters = text.strip_prefix(environment.prefix())?;
        let well_formed = characters.len() == SECRET_LENGTH + CHECKSUM_LENGTH
            && characters.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (body, expected) = text.split_at_checked(text.len().checked_sub(CHECKSUM_LENGTH)?)?;
        (well_formed && checksum(body) == expected).then(|| Self(text.to_owned()))
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The last four characters, by which people distinguish keys.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// The whole key, to show it once to the person who created it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey")
    }
}

/// SHA-256 of a key, which identifies it and cannot be used in its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyHash")
    }
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut characters = [b'0'; CHECKSUM_LENGTH];
    for character in characters.iter_mut().rev() {
        *character = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    characters.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_neither_key_nor_hash() {
        let key = ApiKey::generate(Environment::Test);
        assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey KeyHash");
    }
}
