//! Turns the graph into the list of changes: one for each place, with the operations that reach it.

use std::collections::BTreeMap;

use openapi_document::Document;

use super::{
    change::{Change, fingerprint},
    equality::Equality,
    graph::Graph,
    rule::{At, Found},
    step::Location,
};

/// The operations that a change reaches, each with the shortest location of the change in it.
type Locations = BTreeMap<String, Location>;

/// Returns every change from one document to another, breaking ones first.
pub fn changes(old: &Document, new: &Document) -> Vec<Change> {
    let equality = Equality::new(old, new);
    let graph = Graph::of(&equality);
    let mut entries: BTreeMap<_, (&Found, Locations)> = BTreeMap::new();
    for (found, operation, location) in graph.found() {
        let key = (found.rule.id, found.direction, &found.place, &found.detail);
        let (_, locations) = entries.entry(key).or_insert((found, Locations::new()));
        locations.entry(operation.to_owned()).or_insert(location);
    }
    let changes = entries.into_values();
    let mut changes: Vec<Change> =
        changes.map(|(found, locations)| change(found, locations, old, new)).collect();
    changes.sort_by(|one, other| {
        let order = |change: &Change| (change.level, change.place.file.clone(), change.place.line);
        order(one).cmp(&order(other)).then_with(|| one.rule.cmp(other.rule))
    });
    changes
}

fn change(found: &Found, locations: Locations, old: &Document, new: &Document) -> Change {
    let Found { rule, direction, level, place, detail, sentence, .. } = found;
    let (operation, location) = locations.first_key_value().expect("a root reaches it");
    let parts = [rule.id, &direction.to_string(), operation, &location.identity(), detail];
    let fingerprint = fingerprint(&parts);
    let place = match place {
        At::Old(pointer) => old.place(pointer),
        At::New(pointer) => new.place(pointer),
    };
    let mut sentence = sentence.replace("{it}", &location.subject());
    if let Some(first) = sentence.get(..1).map(str::to_uppercase) {
        sentence.replace_range(..1, &first);
    }
    Change {
        rule: rule.id,
        level: *level,
        direction: *direction,
        locations,
        fingerprint,
        place,
        sentence,
        hidden: rule.is_hidden(),
        accepted: None,
    }
}
