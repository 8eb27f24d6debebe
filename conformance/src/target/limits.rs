//! Limits of a run in a target file: its budget, its pace, and how it checks the server's identity.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use toml::Value;

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Bounded<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> TryFrom<Value> for Bounded<MIN, MAX> {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
        let within = number.filter(|number| (MIN..=MAX).contains(number));
        within.map(Self).ok_or_else(|| format!("write a whole number from {MIN} to {MAX}"))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Bounded<MIN, MAX> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("From{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// Where a run stops.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(crate) struct Budget {
    /// How many requests a run may send, with those that find fixtures. A case starts only if its
    /// requests are left; others are skipped, and the run exits with 1. Default: 20000.
    pub(crate) max_requests: Bounded<1, 1_000_000>,
    /// How many credits a run leaves to each organisation, by the headers of its responses. A case
    /// starts only if that many stay; others are skipped, and the run exits with 1. The
    /// organisation of the key `exhausted` has no reserve. Default: 100.
    pub(crate) credits_reserve: Bounded<0, 1_000_000_000>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_requests: Bounded(20_000), credits_reserve: Bounded(100) }
    }
}

/// How fast a run sends requests.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(crate) struct Pace {
    /// The most requests in any sixty seconds with one key, and without one; fewer if the rate
    /// headers say so. Downloads of links do not count. Below 40, the case that uses up a minute is
    /// skipped. Default: as many as those headers allow.
    pub(crate) requests_per_minute: Option<Bounded<1, 1_000_000>>,
}

/// How a run checks the server's identity; only for https.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(crate) struct Tls {
    /// A file of PEM certificates of authorities to trust in addition to the system's, relative to
    /// the target file's folder. Default: none.
    #[schemars(with = "Option<String>")]
    pub(crate) ca_file: Option<PathBuf>,
}
