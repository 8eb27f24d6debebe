//! The capabilities of a deployment, by their names in the document's `x-profiles` (X13).

use std::{borrow::Cow, collections::BTreeSet};

use openapi_document::Operation;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::document::profiles;

/// Those that a deployment has, in the order of the document; the core always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Profiles(Vec<&'static str>);

impl Profiles {
    /// The specification's own operations.
    pub(crate) const CORE: &'static str = "core";

    /// Returns true if a deployment with these has an operation.
    pub(crate) fn include(&self, operation: &Operation) -> bool {
        operation.profile.as_deref().is_none_or(|profile| self.0.contains(&profile))
    }

    pub(crate) fn names(&self) -> &[&'static str] {
        &self.0
    }
}

/// All that the document lists.
impl Default for Profiles {
    fn default() -> Self {
        Self(profiles().collect())
    }
}

impl<'de> Deserialize<'de> for Profiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = BTreeSet::<String>::deserialize(deserializer)?;
        if let Some(unknown) = given.iter().find(|name| !profiles().any(|known| known == **name)) {
            let known: Vec<_> = profiles().collect();
            return Err(D::Error::custom(format!(
                "the document has no profile `{unknown}`; it has {}",
                known.join(", ")
            )));
        }
        let has = |name: &&str| *name == Self::CORE || given.contains(*name);
        Ok(Self(profiles().filter(has).collect()))
    }
}

impl JsonSchema for Profiles {
    fn schema_name() -> Cow<'static, str> {
        "Profiles".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let known: Vec<_> = profiles().collect();
        json_schema!({
            "type": "array",
            "items": { "type": "string", "enum": known },
            "uniqueItems": true,
        })
    }
}
