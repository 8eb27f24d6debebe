//! Features that only a deployment's owner knows about.

use schemars::JsonSchema;
use serde::Deserialize;
use strum::IntoStaticStr;

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
