//! How much a run may ask of a deployment: its budget, its pace, and how it checks the server's identity.
//!
//! It refuses a run without bounds: what a file leaves open has a default here.

use std::{fmt, path::PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Bounded<LEAST, MOST> {
    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32> TryFrom<i64> for Bounded<LEAST, MOST> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        let within = u32::try_from(number).ok();
        let within = within.filter(|number| (LEAST..=MOST).contains(number));
        let refused =
            || format!("{number} is out of bounds; write a whole number from {LEAST} to {MOST}");
        within.map(Self).ok_or_else(refused)
    }
}

/// By hand, so that another type is refused in words that are not those of Rust.
impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Bounded<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number<const LEAST: u32, const MOST: u32>;

        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for Number<LEAST, MOST> {
            type Value = Bounded<LEAST, MOST>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a whole number from {LEAST} to {MOST}")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                number.try_into().map_err(E::custom)
            }
        }

        deserializer.deserialize_i64(Number)
    }
}

impl<const LEAST: u32, const MOST: u32> JsonSchema for Bounded<LEAST, MOST> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("From{LEAST}To{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// Where a run stops by itself.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Budget {
    /// A case begins only where what it may need fits into what is left of this; the others are skipped, and the run ends with
    /// exit status 1. What looks for fixtures counts too. Default: 10000.
    pub max_requests: Bounded<1, 1_000_000>,
    /// A case begins only where what it may need leaves an organisation so many credits, by the headers of its responses; the
    /// others are skipped, and the run ends with exit status 1. Does not hold for the key `exhausted`. Default: 100.
    pub credits_reserve: Bounded<0, 1_000_000_000>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            max_requests: Bounded(10_000),
            credits_reserve: Bounded(100),
        }
    }
}

/// How fast a run asks.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Pace {
    /// No more requests in any sixty seconds than this with one key, and without one; fewer, where the rate headers of the
    /// responses want it. Downloads of links aside. Below 40 no minute's end can be met. Default: as many as those headers allow.
    pub requests_per_minute: Option<Bounded<1, 1_000_000>>,
}

/// How a run checks who answers; only for https.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Tls {
    /// A file of PEM certificates of authorities to be trusted besides the system's, relative to the target file's folder.
    /// Default: none.
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_at_a_bound_is_taken_and_one_beyond_is_refused_with_both() {
        type Small = Bounded<1, 9>;
        assert_eq!(Small::try_from(1).map(Bounded::get), Ok(1));
        assert_eq!(Small::try_from(9).map(Bounded::get), Ok(9));
        for wrong in [0, 10, -1, i64::MAX] {
            let error = Small::try_from(wrong).unwrap_err();
            assert!(error.contains("from 1 to 9"), "{error}");
        }
    }
}
