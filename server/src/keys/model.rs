//! An API key without its secret, and its lifetime.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The longest lifetime of a key, and the default (A2).
pub const LONGEST_LIFE_DAYS: i32 = 365;

#[derive(Clone, Copy, Debug)]
pub struct NewKey<'a> {
    pub name: &'a str,
    pub scopes: &'a [String],
    pub life: Lifetime,
}

/// The lifetime of a new key. Tests and data sets create keys that have expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Valid from now on, for this many days.
    Days(i32),
    /// Expired at this time, or a day ago.
    Expired(Option<DateTime<Utc>>),
    /// Revoked at this time, or a day ago.
    Revoked(Option<DateTime<Utc>>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum KeyState {
    #[default]
    Active,
    Expired,
    Revoked,
}

impl KeyState {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A key as the table stores it, without its hash.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredKey {
    pub organization_id: String,
    pub id: String,
    pub name: String,
    pub last_four: String,
    pub scopes: Vec<String>,
    /// The version of its requests that name none (X12).
    pub api_version: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// Compared with the database's clock.
    #[serde(skip)]
    pub is_expired: bool,
}

impl StoredKey {
    /// Returns the present state; a revoked key stays revoked after it expires.
    pub fn state(&self) -> KeyState {
        match (self.revoked_at, self.is_expired) {
            (Some(_), _) => KeyState::Revoked,
            (None, true) => KeyState::Expired,
            (None, false) => KeyState::Active,
        }
    }
}
