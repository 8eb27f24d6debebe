//! Generates, parses and hashes API keys (A1). `Debug` prints neither a key nor a hash.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

/// Characters of the secret part: 32 characters of base 62 carry 190 bits.
const SECRET_LENGTH: usize = 32;
/// Characters of the checksum: a CRC32 needs at most 6 in base 62.
const CHECKSUM_LENGTH: usize = 6;
/// Characters that name the cell, where there are several.
const CELL_LENGTH: usize = 2;
/// Characters after the prefix: without a cell, and with one.
const LENGTHS: [usize; 2] =
    [SECRET_LENGTH + CHECKSUM_LENGTH, CELL_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH];
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

/// The name of a cell, which is one database with its servers. A proxy reads it in a key; the
/// servers do not, because the database knows the keys of its organisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell([u8; CELL_LENGTH]);

impl Cell {
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("letters and digits")
    }
}

impl FromStr for Cell {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let characters: Option<[u8; CELL_LENGTH]> = text.as_bytes().try_into().ok();
        let characters = characters.filter(|all| all.iter().all(u8::is_ascii_alphanumeric));
        characters.map(Self).ok_or("must be two of A-Z, a-z and 0-9, such as aa")
    }
}

/// The characters that a new key begins with.
#[derive(Clone, Copy, Debug)]
pub struct KeyPrefix {
    pub environment: Environment,
    /// The cell of its organisation, where there are several.
    pub cell: Option<Cell>,
}

impl From<Environment> for KeyPrefix {
    fn from(environment: Environment) -> Self {
        Self { environment, cell: None }
    }
}

/// A prefix, the 2 characters of a cell where there are several, 32 characters of base 62, and 6
/// of the CRC32 over all before them.
pub struct ApiKey(String);

impl ApiKey {
    /// Generates a key from the system's randomness.
    ///
    /// # Panics
    /// If the system has no randomness: a predictable key must never exist.
    pub fn generate(prefix: impl Into<KeyPrefix>) -> Self {
        let KeyPrefix { environment, cell } = prefix.into();
        let mut key = environment.prefix().to_owned();
        key.push_str(cell.as_ref().map_or("", Cell::as_str));
        let length = key.len() + SECRET_LENGTH;
        let mut bytes = [0_u8; 64];
        while key.len() < length {
            getrandom::fill(&mut bytes).expect("the system has randomness");
            // Bytes from 248 on are dropped: 256 is no multiple of 62, so their characters would
            // be likelier than the others.
            let free = length - key.len();
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
        let well_formed = LENGTHS.contains(&characters.len())
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

    #[test]
    fn checksum_covers_the_cell() {
        let cell = Some("b7".parse().unwrap());
        let key = ApiKey::generate(KeyPrefix { environment: Environment::Live, cell });
        let text = key.reveal();
        assert_eq!((&text[..11], text.len()), ("pcp_live_b7", 49));
        assert!(ApiKey::parse(text, Environment::Live).is_some());
        for other in ["pcp_live_b8", "pcp_live_", "pcp_live_b", "pcp_test_b7"] {
            let altered = format!("{other}{}", &text[11..]);
            assert!(ApiKey::parse(&altered, Environment::Live).is_none(), "{altered}");
        }
    }

    #[test]
    fn cell_is_two_letters_or_digits() {
        assert_eq!("Z0".parse::<Cell>().unwrap().as_str(), "Z0");
        for other in ["", "a", "aaa", "a-", "\u{e4}", "a "] {
            assert!(other.parse::<Cell>().is_err(), "{other:?}");
        }
    }
}
