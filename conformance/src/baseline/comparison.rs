//! A comparison of a run with a baseline: what is other, what is new, what was not compared.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, capture_diff_slices};

use super::{
    difference::{Compare, Difference, DifferenceKind, differences},
    form::Shape,
    group::{DifferenceGroup, Found, PlaceReport, grouped},
    model::{Baseline, Expected},
    noise::Noise,
    says,
};
use crate::snapshot::{
    places::Places,
    recording::{CaseRecording, Key, Observation, Recording},
};

/// A deployment that answers so many requests of an operation with 404 alone lacks it.
const MANY: usize = 20;

/// How a run is compared with a baseline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Comparing {
    pub(crate) compare: Compare,
    /// True if additions count as differences.
    pub(crate) is_strict: bool,
}

/// The comparison of a run with a baseline.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonReport {
    /// The name of the deployment that the baseline is of.
    pub(crate) baseline: String,
    /// Its address.
    pub(crate) base_url: String,
    /// When the baseline was recorded.
    pub(crate) recorded_at: String,
    /// What was compared.
    pub(crate) compare: Compare,
    /// Whether additions count as differences.
    pub(crate) strict: bool,
    /// Responses that were compared.
    pub(crate) responses: usize,
    /// What is other than in the baseline, each with its places.
    pub(crate) differences: Vec<DifferenceGroup>,
    /// What the baseline does not have.
    pub(crate) additions: Vec<DifferenceGroup>,
    /// What differs between two recordings of one deployment, and was not compared.
    pub(crate) noise: Vec<Noise>,
    /// Cases that were not compared, by the reason.
    pub(crate) not_compared: Vec<NotCompared>,
}

/// Cases that were not compared for one reason.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NotCompared {
    pub(crate) reason: String,
    pub(crate) cases: Vec<String>,
}

impl ComparisonReport {
    /// Returns true if nothing is other than in the baseline.
    pub(crate) fn holds(&self) -> bool {
        self.differences.is_empty() && (!self.strict || self.additions.is_empty())
    }

    /// The places at which something is other.
    pub(crate) fn places(&self) -> usize {
        self.differences.iter().map(|group| group.places.len()).sum()
    }
}

/// Compares what a run got with a baseline.
pub(super) fn compare(
    places: &Places,
    baseline: &Baseline,
    recording: &Recording,
    comparing: Comparing,
) -> ComparisonReport {
    let mut comparison = Comparison::new(places, comparing.compare);
    let recorded = baseline.expected();
    comparison.known = recorded.values().flatten().map(|one| &one.key).collect();
    let observations = recording.cases.values().flat_map(|case| &case.observations);
    comparison.got = observations.map(|one| &one.key).collect();
    comparison.operations(&recorded, recording);
    for (case, expected) in &recorded {
        match recording.cases.get(*case) {
            Some(got) => comparison.case(case, expected, got),
            None => comparison.skip("the case did not run this time", case),
        }
    }
    for (case, got) in &recording.cases {
        if !recorded.contains_key(case.as_str()) && !got.observations.is_empty() {
            comparison.skip("the baseline does not have the case", case);
        }
    }
    if comparing.compare == Compare::Form {
        comparison.forms(&recorded, recording);
    }
    let Comparison { responses, found, not_compared, .. } = comparison;
    let (additions, differences) = grouped(found).into_iter().partition(|group| group.is_addition);
    let header = &baseline.header;
    ComparisonReport {
        baseline: header.target.clone(),
        base_url: header.base_url.clone(),
        recorded_at: header.recorded_at.clone(),
        compare: comparing.compare,
        strict: comparing.is_strict,
        responses,
        differences,
        additions,
        noise: header.noise.clone(),
        not_compared: not_compared
            .into_iter()
            .map(|(reason, cases)| NotCompared { reason: reason.to_owned(), cases })
            .collect(),
    }
}

/// Returns the first difference of what a case got from what it got before, in values too.
pub(super) fn first_difference(
    places: &Places,
    case: &str,
    expected: &[Expected],
    got: &CaseRecording,
) -> Option<Found> {
    let mut comparison = Comparison::new(places, Compare::Values);
    comparison.case(case, expected, got);
    comparison.found.into_iter().next()
}

struct Comparison<'a> {
    places: &'a Places,
    compare: Compare,
    /// Keys of the baseline's responses, and of this run's.
    known: BTreeSet<&'a Key>,
    got: BTreeSet<&'a Key>,
    /// Operations that one side lacks.
    changed: BTreeSet<String>,
    responses: usize,
    found: Vec<Found>,
    not_compared: BTreeMap<&'static str, Vec<String>>,
}

impl<'a> Comparison<'a> {
    fn new(places: &'a Places, compare: Compare) -> Self {
        Self {
            places,
            compare,
            known: BTreeSet::new(),
            got: BTreeSet::new(),
            changed: BTreeSet::new(),
            responses: 0,
            found: Vec::new(),
            not_compared: BTreeMap::new(),
        }
    }

    /// Notes operations that one side lacks, instead of each of their responses.
    fn operations(&mut self, recorded: &BTreeMap<&str, Vec<Expected>>, recording: &Recording) {
        let before = absent(recorded.values().flatten().map(|one| &one.key));
        let observations = recording.cases.values().flat_map(|case| &case.observations);
        let now = absent(observations.map(|one| &one.key));
        for operation in before.symmetric_difference(&now) {
            let mut pairs = recorded.iter().filter_map(|(case, expected)| {
                let got = &recording.cases.get(*case)?.observations;
                let old = expected.iter().find(|one| one.key.operation == *operation)?;
                let new = got.iter().find(|one| one.key.operation == *operation)?;
                (old.key.status != new.key.status).then_some((case, old, new))
            });
            let Some((case, old, new)) = pairs.next() else { continue };
            let kind = match before.contains(operation) {
                true => DifferenceKind::OperationAdded,
                false => DifferenceKind::OperationGone,
            };
            let difference = Difference::stable(kind, "", operation, operation);
            self.note(case, Some(old), Some(new), difference);
            self.changed.insert((*operation).to_owned());
        }
    }

    fn skip(&mut self, reason: &'static str, case: &str) {
        let cases = self.not_compared.entry(reason).or_default();
        if cases.last().is_none_or(|last| last != case) {
            cases.push(case.to_owned());
        }
    }

    /// Compares the responses of a case in their order. Where the status or the code changed, both
    /// sides have a response of the same operation that the other lacks.
    fn case(&mut self, case: &str, expected: &[Expected], got: &CaseRecording) {
        let is_compared = |key: &Key| !self.changed.contains(&key.operation);
        let expected = expected.iter().filter(|one| is_compared(&one.key)).collect::<Vec<_>>();
        let observations = got.observations.iter().filter(|one| is_compared(&one.key));
        let mut observations = observations.collect::<Vec<_>>();
        // How often a case repeats a request depends on what else is sent.
        observations.dedup_by(|one, other| one.key == other.key && one.snapshot == other.snapshot);
        let keys: [Vec<Key>; 2] = [
            expected.iter().map(|one| one.key.clone()).collect(),
            observations.iter().map(|one| one.key.clone()).collect(),
        ];
        for change in capture_diff_slices(Algorithm::Myers, &keys[0], &keys[1]) {
            let (mut old, mut new) = (change.old_range(), change.new_range());
            while let (Some(first), Some(second)) = (old.clone().next(), new.clone().next())
                && expected[first].key.operation == observations[second].key.operation
            {
                self.pair(case, expected[first], observations[second]);
                (old.start, new.start) = (first + 1, second + 1);
            }
            for one in &expected[old] {
                if !keys[1].iter().any(|key| key.is_like(&one.key)) {
                    self.gone(case, one, got.has_passed);
                }
            }
            for one in &observations[new] {
                let again = expected.iter().filter(|known| known.key.is_like(&one.key));
                match again.min_by_key(|known| self.differences(known, one).len()) {
                    Some(known) => self.pair(case, known, one),
                    None => self.added(case, one),
                }
            }
        }
    }

    fn differences(&self, expected: &Expected, got: &Observation) -> Vec<Difference> {
        let members = self.places.body(&got.key);
        differences(&expected.snapshot, &got.snapshot, members, self.compare)
    }

    fn pair(&mut self, case: &str, expected: &Expected, got: &Observation) {
        self.responses += 1;
        for difference in self.differences(expected, got) {
            self.note(case, Some(expected), Some(got), difference);
        }
    }

    fn gone(&mut self, case: &str, expected: &Expected, has_passed: bool) {
        let key = &expected.key;
        if self.compare == Compare::Form && self.got.contains(key) {
            // How many of them come is data.
        } else if has_passed {
            self.note(case, Some(expected), None, whole(DifferenceKind::ResponseGone, key));
        } else {
            self.skip("the case ended before its other responses", case);
        }
    }

    fn added(&mut self, case: &str, got: &Observation) {
        if self.compare != Compare::Form || !self.known.contains(&got.key) {
            self.note(case, None, Some(got), whole(DifferenceKind::ResponseAdded, &got.key));
        }
    }

    /// Compares all bodies with the same operation, status and code together.
    fn forms(&mut self, recorded: &BTreeMap<&str, Vec<Expected>>, recording: &Recording) {
        let mut old: BTreeMap<&Key, (Shape, &Expected)> = BTreeMap::new();
        let mut new: BTreeMap<&Key, (Shape, &str, &Observation)> = BTreeMap::new();
        for (case, expected) in recorded {
            let Some(got) = recording.cases.get(*case) else { continue };
            for one in expected {
                let (shape, _) = old.entry(&one.key).or_insert_with(|| (Shape::default(), one));
                one.snapshot.json().into_iter().for_each(|json| shape.add(json));
            }
            for one in &got.observations {
                let example = || (Shape::default(), *case, one);
                let (shape, ..) = new.entry(&one.key).or_insert_with(example);
                one.snapshot.json().into_iter().for_each(|json| shape.add(json));
            }
        }
        for (key, (shape, expected)) in old {
            let Some((actual, case, example)) = new.get(key) else { continue };
            let members = self.places.body(key);
            for difference in shape.differences(actual, members, key.status >= 400) {
                self.note(case, Some(expected), Some(example), difference);
            }
        }
    }

    /// Adds a difference of what a case got, or no longer gets, from a response of the baseline, if
    /// there is one.
    fn note(
        &mut self,
        case: &str,
        expected: Option<&Expected>,
        got: Option<&Observation>,
        difference: Difference,
    ) {
        let name = expected.map_or_else(
            || got.map_or(String::new(), |got| got.key.name()),
            |one| one.name.clone(),
        );
        let Some(key) = got.map(|got| &got.key).or(expected.map(|one| &one.key)) else { return };
        let subject = says::Subject {
            key,
            members: self.places.body(key),
            json: got.and_then(|got| got.json.as_ref()),
        };
        let (stance, says) = says::of(subject, &difference);
        // An error that never came before is no addition.
        let is_new_error = difference.kind == DifferenceKind::ResponseAdded
            && key.status >= 400
            && !self.known.contains(key);
        let place = PlaceReport {
            snapshot: name,
            at: difference.at.clone(),
            expected: difference.expected.clone(),
            actual: difference.actual.clone(),
            case: case.to_owned(),
            request: got.map_or(String::new(), |got| got.request.clone()),
            curl: got.map_or(String::new(), |got| got.curl.clone()),
            baseline: expected.map(|one| one.snapshot.to_string()),
            response: got.map(|got| got.snapshot.to_string()),
        };
        let is_addition = difference.kind.is_addition() && !is_new_error;
        let exchange = got.map(|got| got.exchange);
        self.found.push(Found { difference, is_addition, stance, says, place, exchange });
    }
}

/// The operations of which each response was a 404.
fn absent<'a>(keys: impl Iterator<Item = &'a Key>) -> BTreeSet<&'a str> {
    let mut seen: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for key in keys {
        let (count, is_absent) = seen.entry(&key.operation).or_insert((0, true));
        *count += 1;
        *is_absent &= key.status == 404;
    }
    seen.retain(|_, (count, is_absent)| *is_absent && *count >= MANY);
    seen.into_keys().collect()
}

/// A difference about a whole response.
fn whole(kind: DifferenceKind, key: &Key) -> Difference {
    let what = format!("{} {}", key.status, key.code);
    let (expected, actual) = match kind {
        DifferenceKind::ResponseGone => (what, String::new()),
        _ => (String::new(), what),
    };
    let (at, path) = (String::new(), String::new());
    Difference { kind, at, path, expected, actual, is_stable: true }
}

#[cfg(test)]
mod tests;
