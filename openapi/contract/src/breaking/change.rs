//! What a comparison reports: a change, its level, whom it reaches, and its fingerprint.

use std::{collections::BTreeMap, fmt};

use openapi_document::Place;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{rule::At, step::Location};

/// What a change means for existing clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A client that keeps to the old document may fail.
    Breaking,
    /// It depends on the client.
    Warning,
    /// No client that keeps to the old document notices.
    Compatible,
}

/// Which way the data travels that the change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From client to server.
    Request,
    /// From server to client.
    Response,
}

/// One change, and every operation that it reaches.
#[derive(Debug, Clone)]
pub struct Change {
    /// The id of the rule: `response-property-removed`.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// Its direction.
    pub direction: Direction,
    /// Where the reached operations see it: the shortest location for each.
    pub locations: BTreeMap<String, Location>,
    /// A hash of rule, direction and the first location.
    pub fingerprint: String,
    /// Where the document has it: the new one, or the old one for what was removed.
    pub place: Place,
    /// The same as a pointer.
    pub at: At,
    /// Distinguishes it from other changes of the rule at the pointer, such as the removed value.
    pub detail: String,
    /// What changes for whom.
    pub sentence: String,
    /// Whether it is about documentation only, and reported on request.
    pub hidden: bool,
    /// The reason for which it was accepted.
    pub accepted: Option<String>,
}

impl Change {
    /// The first operation and where it sees the change.
    ///
    /// # Panics
    /// Never: a change reaches an operation, or the document itself.
    #[must_use]
    pub fn first(&self) -> (&str, &Location) {
        let (operation, location) = self.locations.first_key_value().expect("a change is reached");
        (operation, location)
    }

    /// Whether it is breaking, or a warning, and nobody accepted it.
    #[must_use]
    pub fn is_finding(&self, least: Level) -> bool {
        self.level <= least && self.accepted.is_none()
    }
}

/// A short hash of these texts.
pub(super) fn fingerprint(texts: &[&str]) -> String {
    const DIGITS: usize = 12;
    let hash = Sha256::digest(texts.join("\n"));
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hash[..DIGITS].to_owned()
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Breaking => "breaking",
            Self::Warning => "warning",
            Self::Compatible => "compatible",
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Request => "request",
            Self::Response => "response",
        })
    }
}
