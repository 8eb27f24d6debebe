//! What a deployment implements, and features that only its owner knows about.

use openapi_document::Operation;
use schemars::JsonSchema;
use serde::Deserialize;
use strum::IntoStaticStr;

/// How much of the document a deployment implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Profile {
    /// What the specification describes: seven operations.
    Core,
    /// Those, and the operations that it names without describing them.
    Extended,
}

impl Profile {
    /// Whether a deployment of this profile has an operation.
    pub(crate) fn includes(self, operation: &Operation) -> bool {
        self == Self::Extended || operation.profile.as_deref() != Some(Self::Extended.name())
    }

    /// As it is written in a target file and in every report.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// What a case may need of a deployment besides keys, fixtures and hooks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Feature {
    /// It contains the project's data set (`conformance/dataset.json`) with its ids, so that values
    /// are compared.
    Seeded,
    /// Download links lead to the deployment itself, which rejects altered and expired ones by S9,
    /// and not to an object store.
    LinksLocal,
    /// Download links expire after at most 10 seconds, so that a case can wait for it.
    ShortLinks,
}

impl Feature {
    /// All, in the order of the schema.
    #[cfg(test)]
    pub(crate) const ALL: &'static [Self] = &[Self::Seeded, Self::LinksLocal, Self::ShortLinks];

    /// As it is written in a target file and in every report.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}
