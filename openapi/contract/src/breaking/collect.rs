//! Turns the graph into the list of changes: one for each place, with the operations that reach it.

use std::collections::{BTreeMap, VecDeque};

use openapi_document::Document;

use super::{
    change::{Change, fingerprint},
    graph::{Graph, NodeId, compare},
    rule::{At, Found},
    step::Location,
};

/// The operations that a change reaches, each with the shortest location of the change in it.
type Locations = BTreeMap<String, Location>;

/// Returns every change from one document to another, breaking ones first.
#[must_use]
pub fn changes(old: &Document, new: &Document) -> Vec<Change> {
    let graph = compare(old, new);
    let leads_to_change = nodes_with_changes(&graph);
    let mut entries: BTreeMap<_, (&Found, Locations)> = BTreeMap::new();
    for root in &graph.roots {
        for (node, location) in reached(&graph, root.node, &leads_to_change) {
            for found in &graph.nodes[node].found {
                let mut location = location.clone();
                location.0.extend(found.step.clone());
                let key = (found.rule.id, found.direction, &found.place, &found.detail);
                let (_, locations) = entries.entry(key).or_insert((found, Locations::new()));
                locations.entry(root.operation.clone()).or_insert(location);
            }
        }
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

/// Finds the nodes that have a change, or lead to one that has.
fn nodes_with_changes(graph: &Graph) -> Vec<bool> {
    let mut parents = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        for (_, inner) in &node.edges {
            parents[*inner].push(id);
        }
    }
    let mut leads = vec![false; graph.nodes.len()];
    let changed = |id: &NodeId| !graph.nodes[*id].found.is_empty();
    let mut pending: Vec<NodeId> = (0..graph.nodes.len()).filter(changed).collect();
    while let Some(id) = pending.pop() {
        if !leads[id] {
            leads[id] = true;
            pending.extend(&parents[id]);
        }
    }
    leads
}

/// Returns the nodes with changes that a root leads to, each with its shortest location.
fn reached(graph: &Graph, root: NodeId, leads_to_change: &[bool]) -> Vec<(NodeId, Location)> {
    let mut seen = BTreeMap::new();
    let mut pending = VecDeque::from([(root, Location::default())]);
    while let Some((id, location)) = pending.pop_front() {
        if !leads_to_change[id] || seen.contains_key(&id) {
            continue;
        }
        for (step, inner) in &graph.nodes[id].edges {
            let mut location = location.clone();
            location.0.extend(step.clone());
            pending.push_back((*inner, location));
        }
        seen.insert(id, location);
    }
    seen.into_iter().collect()
}
