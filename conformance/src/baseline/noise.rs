//! Noise: what differs between two recordings of the same deployment. It is measured by recording
//! more than once, and masked, so that later comparisons are silent about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::difference::{Compare, Difference, DifferenceKind, differences};
use crate::snapshot::{
    kind,
    places::Places,
    recording::{Observation, Recording},
    text::{Body, Snapshot},
};

/// The whole response, in place of a pointer.
const WHOLE: &str = "the whole response";

/// A place at which two recordings differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Noise {
    /// The operation and status, such as `getPartner 200`, or the case whose responses vary.
    pub(crate) response: String,
    /// The name of a header, or the path of a value, with `*` in place of an index.
    pub(crate) at: String,
    /// How often it was seen.
    pub(crate) count: usize,
}

/// Merges recordings of one deployment: what differs between them is masked in the result, and
/// listed. A case that did not run each time, or got other responses, is left out.
pub(super) fn merged(places: &Places, recordings: Vec<Recording>) -> (Recording, Vec<Noise>) {
    let mut recordings = recordings.into_iter();
    let mut merged = recordings.next().unwrap_or_default();
    let mut found = Vec::new();
    for other in recordings {
        merged.cases.retain(|id, case| {
            let again = other.cases.get(id).map_or(&[][..], |case| &case.observations);
            let is_same = aligned(&case.observations, again);
            case.has_passed &= other.cases.get(id).is_some_and(|case| case.has_passed);
            if !is_same {
                found.push((format!("case {id}"), WHOLE.to_owned()));
                return false;
            }
            for (one, again) in case.observations.iter_mut().zip(again) {
                let members = places.body(&one.key);
                let differences =
                    differences(&one.snapshot, &again.snapshot, members, Compare::Values);
                let response = format!("{} {}", one.key.operation, one.key.status);
                for Difference { path, kind, at, .. } in differences {
                    mask(&mut one.snapshot, kind, &at);
                    found.push((response.clone(), path));
                }
            }
            true
        });
        for (id, _) in other.cases.iter().filter(|(id, _)| !merged.cases.contains_key(*id)) {
            found.push((format!("case {id}"), WHOLE.to_owned()));
        }
    }
    (merged, counted(found))
}

/// Returns true if both have the same operations, statuses and codes in the same order.
fn aligned(one: &[Observation], other: &[Observation]) -> bool {
    let keys = |all: &[Observation]| all.iter().map(|one| one.key.clone()).collect::<Vec<_>>();
    keys(one) == keys(other)
}

fn counted(mut found: Vec<(String, String)>) -> Vec<Noise> {
    found.sort_unstable();
    let groups = found.chunk_by(|one, other| one == other);
    let noise = groups.map(|group| {
        let (response, at) = group[0].clone();
        let count = if at == WHOLE { 1 } else { group.len() };
        Noise { response, at, count }
    });
    noise.collect()
}

/// Replaces what is at this place, or puts a mask where one recording had nothing.
fn mask(snapshot: &mut Snapshot, difference: DifferenceKind, at: &str) {
    match difference {
        DifferenceKind::HeaderGone | DifferenceKind::HeaderAdded | DifferenceKind::HeaderValue => {
            snapshot.headers.retain(|(name, _)| name != at);
            snapshot.headers.push((at.to_owned(), kind::VARIES.to_owned()));
        }
        _ => match &mut snapshot.body {
            Body::Json(json) if !at.is_empty() => mask_value(json, at),
            body => *body = Body::Json(kind::VARIES.into()),
        },
    }
}

fn mask_value(json: &mut Value, at: &str) {
    if let Some(value) = json.pointer_mut(at) {
        *value = kind::VARIES.into();
        return;
    }
    let Some((parent, name)) = at.rsplit_once('/') else { return };
    let parent: Option<&mut Map<String, Value>> =
        json.pointer_mut(parent).and_then(Value::as_object_mut);
    if let Some(parent) = parent {
        parent.insert(name.replace("~1", "/").replace("~0", "~"), kind::VARIES.into());
    }
}

#[cfg(test)]
mod tests;
