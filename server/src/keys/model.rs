//! An API key without its secret, and how long it may live.
//!
//! It refuses to hold the key itself: that is shown once and forgotten (A1).

use chrono::{DateTime, Utc};
use serde::Serialize;

/// The longest a key may live, and the default (A2).
pub const LONGEST_LIFE_DAYS: i32 = 365;

/// A key to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewKey<'a> {
    /// What a person calls it.
    pub name: &'a str,
    /// What it may do.
    pub scopes: &'a [String],
    /// How it lives.
    pub life: Life,
}

/// How long a key lives, or lived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Valid from now on, for this many days.
    Days(i32),
    /// Its life ended at this time, or a day ago.
    Expired(Option<DateTime<Utc>>),
    /// It was revoked at this time, or a day ago.
    Revoked(Option<DateTime<Utc>>),
}

/// Whether a key is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It admits requests.
    Active,
    /// Its life has ended.
    Expired,
    /// An operator ended it.
    Revoked,
}

impl KeyState {
    /// As it is printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// A key as the table holds it, without its hash.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredKey {
    /// Its organisation.
    pub organization_id: String,
    /// Its id.
    pub id: String,
    /// What a person calls it.
    pub name: String,
    /// Its last four characters.
    pub last_four: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When its life ends.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Whether its life has ended, by the database's clock.
    #[serde(skip)]
    pub is_expired: bool,
}

impl StoredKey {
    /// Whether it is valid now; a revoked key stays revoked, also after its life.
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
    fn a_revoked_key_stays_revoked_after_its_life() {
        let at: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let key = |revoked_at, is_expired| StoredKey {
            organization_id: "org".into(),
            id: "key".into(),
            name: "name".into(),
            last_four: "abcd".into(),
            scopes: Vec::new(),
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
