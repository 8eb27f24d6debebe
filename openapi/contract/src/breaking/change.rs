//! A change: its level, the operations that it reaches, and its fingerprint.

use std::collections::BTreeMap;

use clap::ValueEnum;
use openapi_document::Place;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use strum::Display;

use super::step::Location;

/// The effect of a change on existing clients.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum, Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// A client that keeps to the old document may fail.
    #[default]
    Breaking,
    /// Some clients may fail.
    Warning,
    /// No client that keeps to the old document notices.
    Compatible,
}

/// The direction of the data that the change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Direction {
    Request,
    Response,
}

/// One change, and every operation that it reaches.
#[derive(Debug, Clone)]
pub struct Change {
    /// The id of the rule: `response-property-removed`.
    pub rule: &'static str,
    pub level: Level,
    pub direction: Direction,
    /// The operations that the change reaches, each with the shortest location of the change in it.
    pub locations: BTreeMap<String, Location>,
    /// A hash of rule, direction and the first location.
    pub fingerprint: String,
    /// The place in the new document, or in the old one for what was removed.
    pub place: Place,
    /// The report for people: what changes for whom.
    pub sentence: String,
    /// True for changes of documentation, which are reported on request.
    pub hidden: bool,
    /// The reason for which the change was accepted.
    pub accepted: Option<String>,
}

impl Change {
    /// Returns the first operation, and the location of the change in it.
    pub fn first(&self) -> (&str, &Location) {
        let (operation, location) = self.locations.first_key_value().expect("a change is reached");
        (operation, location)
    }

    /// Returns true if the change has at least this level, and nobody accepted it.
    pub fn is_finding(&self, least: Level) -> bool {
        self.level <= least && self.accepted.is_none()
    }
}

pub(super) fn fingerprint(texts: &[&str]) -> String {
    const DIGITS: usize = 12;
    let hash = Sha256::digest(texts.join("\n"));
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hash[..DIGITS].to_owned()
}
