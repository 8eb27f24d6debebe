//! Differences by what they are: a code that was renamed is one group, with each place at which it
//! came.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    difference::{Difference, DifferenceKind as Kind},
    says::Stance,
};
use crate::visible::cut;

/// Characters of a value that a sentence shows.
const SHOWN: usize = 200;

/// Differences of one kind.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DifferenceGroup {
    /// What it is.
    pub(crate) kind: Kind,
    /// A sentence.
    pub(crate) what: String,
    /// Whether it only adds something.
    pub(crate) is_addition: bool,
    /// Whether the document allows what came.
    pub(crate) stance: Stance,
    /// What the document says of the place, as a sentence.
    pub(crate) document: String,
    /// Where it was found.
    pub(crate) places: Vec<PlaceReport>,
}

/// One place of a difference.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PlaceReport {
    /// The name of the snapshot, such as `getPartner/404_NOT_FOUND`.
    pub(crate) snapshot: String,
    /// The name of a header or a JSON pointer, with `*` for any item; empty for the whole response.
    pub(crate) at: String,
    /// What is there in the baseline.
    pub(crate) expected: String,
    /// What came.
    pub(crate) actual: String,
    /// The case that sent the request.
    pub(crate) case: String,
    /// Its method and target.
    pub(crate) request: String,
    /// The request as a command line, with the key as `$VARIABLE`.
    pub(crate) curl: String,
    /// The response of the baseline, or one of several.
    pub(crate) baseline: Option<String>,
    /// The response that came, or one of several.
    pub(crate) response: Option<String>,
}

impl PlaceReport {
    fn is_like(&self, other: &Self) -> bool {
        let [one, two] = [self, other]
            .map(|place| [&place.case, &place.snapshot, &place.at, &place.expected, &place.actual]);
        one == two
    }
}

/// A difference with its place and what the document says.
pub(super) struct Found {
    pub(super) difference: Difference,
    pub(super) is_addition: bool,
    pub(super) stance: Stance,
    pub(super) says: String,
    pub(super) place: PlaceReport,
    /// The exchange of the case that shows it, if there is one.
    pub(super) exchange: Option<usize>,
}

/// The groups; those that the document forbids first, then those with the most places.
pub(super) fn grouped(found: Vec<Found>) -> Vec<DifferenceGroup> {
    let mut groups: BTreeMap<(bool, Kind, String, Stance), DifferenceGroup> = BTreeMap::new();
    for found in found {
        let difference = &found.difference;
        let what = what(difference);
        // Values that are data differ at each place.
        let about = if is_by_value(difference) { what.clone() } else { name(&difference.path) };
        let key = (found.is_addition, difference.kind, about, found.stance);
        let group = groups.entry(key).or_insert_with(|| DifferenceGroup {
            kind: difference.kind,
            what,
            is_addition: found.is_addition,
            stance: found.stance,
            document: found.says.clone(),
            places: Vec::new(),
        });
        // A case may repeat a request.
        if !group.places.iter().any(|known| known.is_like(&found.place)) {
            group.places.push(found.place);
        }
    }
    let mut groups: Vec<DifferenceGroup> = groups.into_values().collect();
    groups.sort_by_key(|group| (group.stance, std::cmp::Reverse(group.places.len())));
    groups
}

/// Returns true if the two values say what the difference is.
fn is_by_value(difference: &Difference) -> bool {
    use Kind::*;
    match difference.kind {
        Status | Code | HeaderValue => true,
        OperationGone | OperationAdded | ResponseGone | ResponseAdded => true,
        Value | Null => difference.is_stable,
        _ => false,
    }
}

/// The part of a path that is the same in a list and in a single resource.
fn name(path: &str) -> String {
    let inside = path.strip_prefix("/data/*/").or_else(|| path.strip_prefix("/data/"));
    let inside = inside.unwrap_or(path.strip_prefix('/').unwrap_or(path));
    inside.replace('/', ".")
}

/// A sentence about a difference.
pub(super) fn what(difference: &Difference) -> String {
    let Difference { kind, path, expected, actual, .. } = difference;
    let [expected, actual] = [expected, actual].map(|text| cut(text, SHOWN));
    let name = if path.is_empty() { "The body".to_owned() } else { name(path) };
    match kind {
        Kind::Status => format!("The status is {actual} instead of {expected}."),
        Kind::Code if actual.is_empty() => format!("The error code {expected} is missing."),
        Kind::Code if expected.is_empty() => format!("The error code {actual} is new."),
        Kind::Code => format!("The error code is {actual} instead of {expected}."),
        Kind::OperationGone => {
            format!("The operation {expected} is missing: each of its requests gets a 404.")
        }
        Kind::OperationAdded => {
            format!("The operation {actual} is new: each of its requests got a 404.")
        }
        Kind::ResponseGone => format!("The response {expected} no longer comes."),
        Kind::ResponseAdded => format!("The response {actual} did not come before."),
        Kind::HeaderGone => format!("The header {name} is missing."),
        Kind::HeaderAdded => format!("The header {name} is new."),
        Kind::HeaderValue => {
            format!("The header {name} is {actual:?} instead of {expected:?}.")
        }
        Kind::MemberGone => format!("The member {name} is missing."),
        Kind::MemberAdded => format!("The member {name} is new."),
        Kind::Type => format!("{name} has another type."),
        Kind::Format => format!("{name} has another format: {actual:?} instead of {expected}."),
        Kind::Null if actual == "null" => format!("{name} is null instead of {expected:?}."),
        Kind::Null => format!("{name} is {actual:?} instead of null."),
        Kind::Value => format!("{name} is {actual:?} instead of {expected:?}."),
        Kind::Relation => {
            format!("{name} names another thing: {actual} instead of {expected}.")
        }
        Kind::Length => format!("{name} has {actual} items instead of {expected}."),
        Kind::Order => format!("{name} has its items in another order."),
        Kind::Body if actual.is_empty() => format!("{name} is missing."),
        Kind::Body => format!("{name} is another one."),
    }
}
