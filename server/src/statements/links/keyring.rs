//! The keys that sign our links. The first one signs, all of them verify: so keys are rotated without breaking a link.
//!
//! It refuses to print a secret: `Debug` names the keys alone.

use std::fmt;

use hex::FromHex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Most keys a file may hold: the one that signs, and those that links may still be out with.
pub(super) const KEYS_LIMIT: usize = 16;
const ID_LENGTH_LIMIT: usize = 32;
const SECRET_LENGTH: usize = 32;

/// One key or more; the first one signs.
#[derive(Clone)]
pub struct Keyring(Vec<Key>);

#[derive(Clone)]
struct Key {
    id: String,
    secret: [u8; SECRET_LENGTH],
}

/// What a key file says that cannot be used. The line is counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// Comments and blank lines alone.
    #[error("it holds no key")]
    Empty,
    /// More than `KEYS_LIMIT`.
    #[error("it holds more than {KEYS_LIMIT} keys: remove those whose links have all expired")]
    TooMany,
    /// Not `id secret`.
    #[error(
        "line {line} is not an id of 1 to {ID_LENGTH_LIMIT} of A-Z a-z 0-9 _ -, a blank, and a secret of 64 hexadecimal digits"
    )]
    Malformed {
        /// The line.
        line: usize,
    },
    /// An id that an earlier line has.
    #[error("line {line} repeats the id of an earlier line: give the key an id of its own")]
    Repeated {
        /// The line.
        line: usize,
    },
}

impl Keyring {
    /// Reads one key a line, `id secret`, the secret being 32 bytes in hexadecimal digits. `#` begins a comment line.
    ///
    /// # Errors
    /// A line is no key, an id stands twice, or there is no key or more than `KEYS_LIMIT`.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let mut keys: Vec<Key> = Vec::new();
        for (index, content) in text.lines().enumerate() {
            let line = index + 1;
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let key = Key::parse(content).ok_or(KeyringError::Malformed { line })?;
            if keys.iter().any(|earlier| earlier.id == key.id) {
                return Err(KeyringError::Repeated { line });
            }
            keys.push(key);
        }
        match keys.len() {
            0 => Err(KeyringError::Empty),
            1..=KEYS_LIMIT => Ok(Self(keys)),
            _ => Err(KeyringError::TooMany),
        }
    }

    /// The id of the key that signs.
    #[must_use]
    pub fn signing_key(&self) -> &str {
        &self.signer().id
    }

    /// The signature of `message` by the key that signs.
    pub(super) fn sign(&self, message: &[u8]) -> [u8; 32] {
        self.signer()
            .authenticator(message)
            .finalize()
            .into_bytes()
            .into()
    }

    /// Whether `signature` is the one of `message` by the key `id`, compared in constant time.
    pub(super) fn verify(&self, id: &str, message: &[u8], signature: &[u8]) -> bool {
        let key = self.0.iter().find(|key| key.id == id);
        key.is_some_and(|key| key.authenticator(message).verify_slice(signature).is_ok())
    }

    fn signer(&self) -> &Key {
        self.0.first().expect("a keyring is never empty")
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.0.iter().map(|key| &key.id);
        formatter.write_str("Keyring ")?;
        formatter.debug_list().entries(ids).finish()
    }
}

impl Key {
    fn parse(line: &str) -> Option<Self> {
        let (id, digits) = line.split_once([' ', '\t'])?;
        let is_id = (1..=ID_LENGTH_LIMIT).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let secret = <[u8; SECRET_LENGTH]>::from_hex(digits.trim_start()).ok()?;
        is_id.then(|| Self {
            id: id.to_owned(),
            secret,
        })
    }

    fn authenticator(&self, message: &[u8]) -> Hmac<Sha256> {
        let mut authenticator =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes keys of any length");
        authenticator.update(message);
        authenticator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, digit: &str) -> String {
        format!("{id} {}\n", digit.repeat(64))
    }

    #[test]
    fn file_of_keys_is_read_and_the_first_one_signs() {
        let text = format!(
            "# made in May\n\n{}  {}",
            line("2026-05", "a"),
            line("2026-04", "B")
        );
        let keys = Keyring::parse(&text).unwrap();
        assert_eq!(keys.signing_key(), "2026-05");
        let signature = keys.sign(b"message");
        assert!(keys.verify("2026-05", b"message", &signature));
        assert!(!keys.verify("2026-04", b"message", &signature));
        assert!(!keys.verify("other", b"message", &signature));
        assert!(!keys.verify("2026-05", b"messagE", &signature));
        assert!(!keys.verify("2026-05", b"message", &signature[..31]));
        assert!(!keys.verify("2026-05", b"message", &[]));
    }

    #[test]
    fn signature_is_hmac_sha256() {
        // RFC 4231 has no case with a key of 32 bytes: this one is from Python's hmac module.
        let keys = Keyring::parse(&line("k", "0b")[..]).unwrap_err();
        assert_eq!(keys, KeyringError::Malformed { line: 1 });
        let keys = Keyring::parse(&format!("k {}", "0b".repeat(32))).unwrap();
        let digits: String = keys
            .sign(b"Hi There")
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            digits,
            "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7"
        );
    }

    #[test]
    fn file_that_cannot_be_used_is_refused_with_its_line() {
        let many: String = (0..=KEYS_LIMIT)
            .map(|number| line(&number.to_string(), "a"))
            .collect();
        for (text, problem) in [
            (String::new(), KeyringError::Empty),
            ("# a\n\n".into(), KeyringError::Empty),
            ("key".into(), KeyringError::Malformed { line: 1 }),
            (
                format!("\n{}", line("schlüssel", "a")),
                KeyringError::Malformed { line: 2 },
            ),
            (line("a/b", "a"), KeyringError::Malformed { line: 1 }),
            (
                line(&"a".repeat(33), "a"),
                KeyringError::Malformed { line: 1 },
            ),
            (line("a", "g"), KeyringError::Malformed { line: 1 }),
            (
                format!("a {}", "a".repeat(63)),
                KeyringError::Malformed { line: 1 },
            ),
            (
                format!("a {}", "a".repeat(66)),
                KeyringError::Malformed { line: 1 },
            ),
            (
                format!("a {}+a", "a".repeat(62)),
                KeyringError::Malformed { line: 1 },
            ),
            (
                format!("a {} # x", "a".repeat(64)),
                KeyringError::Malformed { line: 1 },
            ),
            (
                line("a", "a") + &line("a", "b"),
                KeyringError::Repeated { line: 2 },
            ),
            (many, KeyringError::TooMany),
        ] {
            assert_eq!(Keyring::parse(&text).unwrap_err(), problem, "{text:?}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let keys = Keyring::parse(&line("2026-05", "a")).unwrap();
        assert_eq!(format!("{keys:?}"), "Keyring [\"2026-05\"]");
    }
}
