//! An API key without its secret, and its lifetime.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The longest lifetime of a key, and the default (A2).
pub const LONGEST_LIFE_DAYS: i32 = 365;

/// A key to create.
#[derive(Clone, Copy, Debug)]
pub struct NewKey<'a> {
    /// Its name, for people.
    pub name: &'a str,
    pub scopes: &'a [String],
    /// Its lifetime.
    pub life: Life,
}

/// The lifetime of a new key. Tests and data sets create keys that have expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Valid from now on, for this many days.
    Days(i32),
    /// Expired at this time, or a day ago.
    Expired(Option<DateTime<Utc>>),
    /// Revoked at this time, or a day ago.
    Revoked(Option<DateTime<Utc>>),
}

/// Whether a key is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    /// It admits requests.
    #[default]
    Active,
    /// Its life has ended.
    Expired,
    /// An operator ended it.
    Revoked,
}

impl KeyState {
    /// The state as it is printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// A key as the table stores it, without its hash.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredKey {
    pub organization_id: String,
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// Its last four characters.
    pub last_four: String,
    pub scopes: Vec<String>,
    /// The version of its requests that name none (X12).
    pub api_version: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Whether it has expired, by the database's clock.
    #[serde(skip)]
    pub is_expired: bool,
}

impl StoredKey {
    /// Whether it is valid now; a revoked key stays revoked after it expires.
    #[must_use]
    pub fn state(&self) -> KeyState {
        match (self.revoked_at, self.is_expired) {
            (Some(_), _) => KeyState::Revoked,
            (None, true) => KeyState::Expired,
            (None, false) => KeyState::Active,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revoked_key_stays_revoked_after_it_expires() {
        let at: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let key = |revoked_at, is_expired| StoredKey {
            organization_id: "org".into(),
            id: "key".into(),
            name: "name".into(),
            last_four: "abcd".into(),
            scopes: Vec::new(),
            api_version: "2026-05-20".into(),
            created_at: at,
            expires_at: at,
            revoked_at,
            is_expired,
        };
        assert_eq!(key(None, false).state(), KeyState::Active);
        assert_eq!(key(None, true).state(), KeyState::Expired);
        assert_eq!(key(Some(at), true).state(), KeyState::Revoked);
    }
}
